import { ActionIcon, Button, NumberInput, Popover, Tooltip } from "@mantine/core";
import type { Clip } from "@sightline/core/clips";
import { getEvidenceHash, type KeyFrameSettings } from "@sightline/core/keyframes";
import { IconAdjustmentsHorizontal } from "@tabler/icons-react";
import { useState } from "react";
import { readNumber } from "../../app/read-number.ts";
import { FieldOfView } from "./field-of-view.tsx";
import classes from "./settings-popover.module.css";

/**
 * How key-frames are looked for. Numbers of frames and threshold are tried at once; interval and width need the clip to be
 * looked at again, here or by the server.
 */
export function SettingsPopover({
  clip,
  settings,
  onTry,
  onExtract,
}: {
  clip: Clip;
  settings: KeyFrameSettings;
  /** Takes settings that need no new look at the clip. */
  onTry(settings: KeyFrameSettings): void;
  onExtract(settings: KeyFrameSettings, where: "here" | "server"): void;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={300} trapFocus returnFocus>
      <Popover.Target>
        <Tooltip label="Settings" disabled={isOpen}>
          <ActionIcon
            variant="default"
            size={30}
            aria-label="Key-frame settings"
            onClick={() => setOpen((open) => !open)}
          >
            <IconAdjustmentsHorizontal size={16} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown role="dialog" aria-label="Key-frame settings">
        {isOpen && (
          <Form
            clip={clip}
            settings={settings}
            onTry={onTry}
            onExtract={(next, where) => {
              setOpen(false);
              onExtract(next, where);
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function Form({
  clip,
  settings,
  onTry,
  onExtract,
}: {
  clip: Clip;
  settings: KeyFrameSettings;
  onTry(settings: KeyFrameSettings): void;
  onExtract(settings: KeyFrameSettings, where: "here" | "server"): void;
}) {
  const [draft, setDraft] = useState(settings);
  const problem = findProblem(draft);
  const needs_look = getEvidenceHash(draft) !== getEvidenceHash(settings);

  function change(part: Partial<KeyFrameSettings>): void {
    const next = { ...draft, ...part };
    setDraft(next);
    const is_same_look = getEvidenceHash(next) === getEvidenceHash(settings);
    if (is_same_look && findProblem(next) === null) onTry(next);
  }

  function put(field: NumberField, value: number | string): void {
    const number = readNumber(value);
    // The field also says so when it only shows another value.
    if (number !== null && number !== draft[field]) change({ [field]: number });
  }

  const samples_by_time = draft.sampling === "time";
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === null && needs_look) onExtract(draft, "here");
      }}
    >
      <NumberInput
        label="Threshold"
        description="Frames that overlap less are kept"
        size="xs"
        min={0}
        max={1}
        step={0.01}
        decimalScale={2}
        fixedDecimalScale
        value={draft.threshold}
        onChange={(value) => put("threshold", value)}
      />
      <div className={classes.pair}>
        <NumberInput
          label="Fewest"
          size="xs"
          min={0}
          max={10_000}
          allowDecimal={false}
          value={draft.min_frames}
          onChange={(value) => put("min_frames", value)}
        />
        <NumberInput
          label="Most"
          size="xs"
          min={2}
          max={10_000}
          allowDecimal={false}
          value={draft.max_frames}
          onChange={(value) => put("max_frames", value)}
        />
      </div>
      <div className={classes.pair}>
        <NumberInput
          label="Every"
          description={samples_by_time ? undefined : "as released"}
          suffix=" s"
          size="xs"
          min={0.05}
          max={3600}
          step={0.5}
          decimalScale={2}
          disabled={!samples_by_time}
          value={draft.interval_secs}
          onChange={(value) => put("interval_secs", value)}
        />
        <NumberInput
          label="Width"
          description={draft.width === 0 ? "full size" : undefined}
          suffix=" px"
          size="xs"
          min={0}
          max={8192}
          step={160}
          allowDecimal={false}
          value={draft.width}
          onChange={(value) => put("width", value)}
        />
      </div>
      {problem === null ? (
        <p className={classes.note}>For another interval or width the clip is looked at again.</p>
      ) : (
        <p className={classes.problem}>{problem}</p>
      )}
      <FieldOfView clip={clip} />
      {problem === null && needs_look && (
        <div className={classes.actions}>
          <Button type="button" variant="default" size="xs" onClick={() => onExtract(draft, "server")}>
            On the server
          </Button>
          <Button type="submit" size="xs">
            Select here
          </Button>
        </div>
      )}
    </form>
  );
}

type NumberField = "threshold" | "min_frames" | "max_frames" | "interval_secs" | "width";

function findProblem({ min_frames, max_frames, interval_secs }: KeyFrameSettings): string | null {
  if (min_frames > max_frames) return "The fewest are more than the most.";
  if (!(interval_secs >= 0.05)) return "The interval is at least 0.05 s.";
  return null;
}
