import { ActionIcon, Button, NumberInput, SegmentedControl, Tooltip } from "@mantine/core";
import type { Clip } from "@sightline/core/clips";
import { type Agreement, getPresetSettings, type KeyFrameSettings } from "@sightline/core/keyframes";
import { IconArrowsExchange, IconMovie } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { readNumber } from "../../../app/read-number.ts";
import { SettingsPopover } from "../settings-popover.tsx";
import classes from "./head.module.css";
import { Letter } from "./letter.tsx";
import type { Side } from "./use-side.ts";

/** The two settings, and in numbers how far their selections agree. */
export function Head({
  clip,
  a,
  b,
  agreement,
  frame,
  onSwap,
}: {
  clip: Clip;
  a: Side;
  b: Side;
  /** Null while one side has no key-frames. */
  agreement: Agreement | null;
  frame: number;
  onSwap(): void;
}) {
  return (
    <header className={classes.head}>
      <div className={classes.sides}>
        <SideForm clip={clip} side={a} />
        <Tooltip label="Swap · X">
          <ActionIcon size={26} aria-label="Swap the two settings" onClick={onSwap}>
            <IconArrowsExchange size={16} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
        <SideForm clip={clip} side={b} />
        <Button
          ml="auto"
          size="xs"
          variant="default"
          leftSection={<IconMovie size={14} stroke={1.7} />}
          renderRoot={(props) => (
            <Link to="/clips/$clipId" params={{ clipId: clip.clip_id }} search={{ frame }} {...props} />
          )}
        >
          To the clip
        </Button>
      </div>
      <dl className={classes.counts} data-testid="agreement">
        <Count label="kept by both" value={agreement?.both} />
        <Count label="by A alone" value={agreement?.only_a} />
        <Count label="by B alone" value={agreement?.only_b} />
        <Count label="by neither" value={agreement?.neither} />
        <Count label="Jaccard" value={agreement?.jaccard.toFixed(2)} />
        <Count label="within ±1 sampled frame" value={agreement?.jaccard_near.toFixed(2)} />
      </dl>
    </header>
  );
}

function Count({ label, value }: { label: string; value: number | string | undefined }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value ?? "–"}</dd>
    </div>
  );
}

function SideForm({ clip, side }: { clip: Clip; side: Side }) {
  const { id, settings, state, put, tryThreshold } = side;
  const name = id.toUpperCase();
  return (
    <fieldset className={classes.side} aria-label={`Settings ${name}`}>
      <Letter side={id} />
      <SegmentedControl
        size="xs"
        aria-label={`Preset of ${name}`}
        value={settings.preset}
        onChange={(preset) => put(getPresetSettings(preset as KeyFrameSettings["preset"]))}
        data={["sightline", "embodied-r"]}
      />
      <NumberInput
        size="xs"
        w={78}
        aria-label={`Threshold of ${name}`}
        min={0}
        max={1}
        step={0.01}
        decimalScale={2}
        fixedDecimalScale
        value={settings.threshold}
        onChange={(value) => {
          // The field also says so when it only shows another value.
          const threshold = readNumber(value);
          if (threshold !== null && threshold !== settings.threshold) tryThreshold(threshold);
        }}
      />
      <SettingsPopover
        clip={clip}
        settings={settings}
        onTry={put}
        onExtract={(next, where) => {
          put(next);
          if (where === "here") state.extractHere(next);
          else state.extractThere(next);
        }}
      />
    </fieldset>
  );
}
