import { ActionIcon, Button, Popover, Textarea, Tooltip } from "@mantine/core";
import { useCallbackRef } from "@mantine/hooks";
import type { PersonAction } from "@sightline/core/decisions";
import {
  IconArrowBackUp,
  IconArrowBarToLeft,
  IconArrowBarToRight,
  IconArrowForwardUp,
  IconArrowMoveRight,
  IconCheck,
  IconMinus,
  IconNote,
  IconPlus,
  IconThumbDown,
  IconThumbUp,
  type TablerIcon,
} from "@tabler/icons-react";
import { memo, type ReactNode, useState } from "react";
import { ActionChoice } from "../../../app/decisions/action-choice.tsx";
import { VerdictMark } from "../verdict-mark.tsx";
import { ActionWords } from "./action-words.tsx";
import classes from "./decision-bar.module.css";
import type { DecisionActions } from "./use-decision-actions.ts";

/** A field that goes slowly holds the keys that come right after its own. */
const AT_ONCE = { duration: 0 };

/** Which of the bar's fields is open. */
export type OpenField = "action" | "note" | null;

/**
 * What a person decides of the frame on screen: one button and one key each. It says which frame and which way are meant,
 * and what came of the last key.
 */
export function DecisionBar({
  actions,
  person,
  open,
  onOpen,
}: {
  actions: DecisionActions;
  /** What a person said of the way to the key-frame on screen; null when nobody did. */
  person: PersonAction | null;
  open: OpenField;
  onOpen(field: OpenField): void;
}) {
  const { current, step, outcome } = actions;
  return (
    <div className={classes.root} role="toolbar" aria-label="Decide" data-testid="decision-bar">
      <div className={classes.about}>
        {current !== null && (
          <>
            <VerdictMark
              kept={current.kept}
              failed={current.decision?.evidence?.failure != null}
              verdict={current.verdict}
            />
            <b>{current.frame}</b>
          </>
        )}
        {outcome !== null ? (
          <span
            className={classes.outcome}
            data-refused={outcome.is_refused}
            role="status"
            title={outcome.text}
          >
            {outcome.text}
          </span>
        ) : (
          step !== null && (
            <span className={classes.from}>
              {step.frame === current?.frame
                ? `from ${step.from_frame}`
                : `way ${step.from_frame} → ${step.frame}`}
            </span>
          )
        )}
        {step !== null && outcome === null && <ActionWords motion={step.motion} person={person} />}
      </div>
      <div className={classes.keys}>
        <Decide label="Keep" letter="S" onClick={actions.keep} icon={IconCheck} />
        <Decide label="Drop" letter="D" onClick={actions.drop} icon={IconMinus} />
        <Decide label="Add the frame on screen" letter="A" onClick={actions.add} icon={IconPlus} />
        <span className={classes.gap} />
        <Decide
          label="Shift to the sampled frame before"
          letter="Z"
          onClick={() => actions.shift(-1)}
          icon={IconArrowBarToLeft}
        />
        <Decide
          label="Shift to the sampled frame after"
          letter="X"
          onClick={() => actions.shift(1)}
          icon={IconArrowBarToRight}
        />
        <Decide
          label="Shift the nearest key-frame to the frame on screen"
          letter="C"
          onClick={actions.shiftHere}
          icon={IconArrowMoveRight}
        />
        <span className={classes.gap} />
        <Decide label="The action is right" letter="Q" onClick={actions.callRight} icon={IconThumbUp} />
        <DecideField
          field="action"
          open={open}
          onOpen={onOpen}
          label="The action is wrong"
          letter="W"
          icon={IconThumbDown}
          padding={6}
        >
          <ActionChoice
            onChoose={(action) => {
              onOpen(null);
              actions.callWrong(action);
            }}
          />
        </DecideField>
        <DecideField
          field="note"
          open={open}
          onOpen={onOpen}
          label="Note"
          letter="V"
          icon={IconNote}
          padding={8}
        >
          <NoteField
            before={current?.person?.note?.text ?? ""}
            onNote={(text) => {
              onOpen(null);
              actions.note(text);
            }}
            onClose={() => onOpen(null)}
          />
        </DecideField>
        <span className={classes.gap} />
        <Decide
          label="Take the last decision back"
          letter="U"
          onClick={actions.undo}
          icon={IconArrowBackUp}
        />
        <Decide label="Bring it back" letter="⇧U" onClick={actions.redo} icon={IconArrowForwardUp} />
      </div>
    </div>
  );
}

type DecideProps = {
  label: string;
  letter: string;
  icon: TablerIcon;
  onClick(): void;
};

function Decide({ onClick, ...rest }: DecideProps) {
  return <DecideButton {...rest} onClick={useCallbackRef(onClick)} />;
}

/** Not drawn anew with every frame that passes by. */
const DecideButton = memo(function DecideButton({
  label,
  letter,
  icon: Icon,
  onClick,
  ...rest
}: DecideProps) {
  return (
    <Tooltip label={`${label} · ${letter}`} openDelay={500}>
      <ActionIcon
        {...rest}
        size={24}
        variant="subtle"
        color="gray"
        className={classes.button}
        aria-label={`${label} · ${letter}`}
        // The focus stays with the page, whose keys go on working.
        onMouseDown={(event) => event.preventDefault()}
        onClick={onClick}
      >
        <Icon size={14} stroke={1.8} />
        <span className={classes.letter} aria-hidden="true">
          {letter}
        </span>
      </ActionIcon>
    </Tooltip>
  );
});

/** A decision that asks for more: its button opens a field. */
function DecideField({
  field,
  open,
  onOpen,
  padding,
  children,
  ...button
}: {
  field: Exclude<OpenField, null>;
  open: OpenField;
  onOpen(field: OpenField): void;
  label: string;
  letter: string;
  icon: TablerIcon;
  padding: number;
  children: ReactNode;
}) {
  return (
    <Popover
      opened={open === field}
      onChange={(is_open) => onOpen(is_open ? field : null)}
      trapFocus
      returnFocus
      position="top"
      withinPortal
      transitionProps={AT_ONCE}
    >
      <Popover.Target>
        <Decide {...button} onClick={() => onOpen(open === field ? null : field)} />
      </Popover.Target>
      <Popover.Dropdown p={padding}>{children}</Popover.Dropdown>
    </Popover>
  );
}

function NoteField({
  before,
  onNote,
  onClose,
}: {
  before: string;
  onNote(text: string): void;
  onClose(): void;
}) {
  const [text, setText] = useState(before);
  return (
    <form
      className={classes.note}
      onSubmit={(event) => {
        event.preventDefault();
        onNote(text);
      }}
    >
      <Textarea
        size="xs"
        autosize
        minRows={2}
        maxRows={6}
        maxLength={2000}
        aria-label="Note at this key-frame"
        placeholder="What is to be known of this key-frame"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          onNote(text);
        }}
        data-autofocus
      />
      <Button type="submit" size="compact-xs" mt={6}>
        {text.trim() === "" && before !== "" ? "Take the note away" : "Note it"}
      </Button>
    </form>
  );
}
