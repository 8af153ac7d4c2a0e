import { ActionIcon, Button, Group, Radio, Textarea, TextInput } from "@mantine/core";
import {
  checkDraft,
  cleanDraft,
  OPTIONS,
  type Question,
  type QuestionDraft,
} from "@sightline/core/benchmarks";
import { IconPlus, IconX } from "@tabler/icons-react";
import { useId, useState } from "react";
import classes from "./write-question.module.css";

const LETTERS = "ABCDEFGH";
const EMPTY: QuestionDraft = { text: "", options: ["", ""], gold: null, task: "" };

/**
 * The form in which a person writes or changes a question: text, options, which of them is right, task.
 *
 * @param start  What stands in the form at first; an empty question when left out.
 * @param save  Keeps what was written; what it throws is shown under the form.
 * @param onCancel  Absent where there is nothing to go back to.
 */
export function WriteQuestion({
  start = EMPTY,
  kind = "choice",
  label,
  save,
  onCancel,
}: {
  start?: QuestionDraft;
  kind?: Question["kind"];
  label: string;
  save(draft: QuestionDraft): Promise<unknown>;
  onCancel?: () => void;
}) {
  const [draft, setDraft] = useState(start);
  const [fault, setFault] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const group = useId();
  const change = (fields: Partial<QuestionDraft>) => {
    setDraft((now) => ({ ...now, ...fields }));
    setFault(null);
  };

  const submit = async () => {
    const clean = cleanDraft(draft);
    const found = checkDraft(clean, kind);
    setFault(found);
    if (found !== null) return;
    setSaving(true);
    try {
      await save(clean);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    } finally {
      setSaving(false);
    }
  };

  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Textarea
        size="xs"
        label="Question"
        autosize
        minRows={2}
        maxRows={8}
        autoFocus
        value={draft.text}
        onChange={(event) => change({ text: event.currentTarget.value })}
      />
      {kind === "choice" ? (
        <Options draft={draft} group={group} onChange={change} />
      ) : (
        <TextInput
          size="xs"
          label="Gold answer, a number"
          value={draft.gold ?? ""}
          onChange={(event) => change({ gold: event.currentTarget.value })}
        />
      )}
      <TextInput
        size="xs"
        label="Task"
        description="What kind of question this is; may stay empty"
        value={draft.task === "unknown" ? "" : draft.task}
        onChange={(event) => change({ task: event.currentTarget.value })}
      />
      {fault !== null && (
        <p className={classes.fault} role="alert">
          {fault}
        </p>
      )}
      <Group gap="xs">
        <Button type="submit" size="xs" loading={isSaving}>
          {label}
        </Button>
        {onCancel && (
          <Button size="xs" variant="subtle" color="gray" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </Group>
    </form>
  );
}

function Options({
  draft: { options, gold },
  group,
  onChange,
}: {
  draft: QuestionDraft;
  group: string;
  onChange(fields: Partial<QuestionDraft>): void;
}) {
  const remove = (at: number) => {
    const right = gold === null ? -1 : LETTERS.indexOf(gold);
    onChange({
      options: options.filter((_, index) => index !== at),
      gold: right < 0 || right === at ? null : LETTERS.charAt(right > at ? right - 1 : right),
    });
  };
  return (
    <fieldset className={classes.options}>
      <legend className={classes.legend}>Options, the right one marked</legend>
      {options.map((option, at) => {
        const letter = LETTERS.charAt(at);
        return (
          <div key={letter} className={classes.option}>
            <Radio
              size="xs"
              name={group}
              aria-label={`${letter} is right`}
              checked={gold === letter}
              onChange={() => onChange({ gold: letter })}
            />
            <Textarea
              size="xs"
              autosize
              maxRows={5}
              className={classes.text}
              aria-label={`Option ${letter}`}
              leftSection={<span className={classes.letter}>{letter}</span>}
              value={option}
              onChange={(event) => {
                const text = event.currentTarget.value;
                onChange({ options: options.map((other, index) => (index === at ? text : other)) });
              }}
            />
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={`Take option ${letter} away`}
              disabled={options.length <= OPTIONS.least}
              onClick={() => remove(at)}
            >
              <IconX size={14} stroke={1.7} />
            </ActionIcon>
          </div>
        );
      })}
      <Group gap="xs">
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconPlus size={13} stroke={1.9} />}
          disabled={options.length >= OPTIONS.most}
          onClick={() => onChange({ options: [...options, ""] })}
        >
          Add an option
        </Button>
        {gold !== null && (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => onChange({ gold: null })}>
            No right one known
          </Button>
        )}
      </Group>
    </fieldset>
  );
}
