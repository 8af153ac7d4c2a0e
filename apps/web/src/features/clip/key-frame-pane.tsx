import { ActionIcon, Button, Progress, SegmentedControl, Tooltip } from "@mantine/core";
import type { Clip } from "@sightline/core/clips";
import { formatClock, formatCodec, formatNumberOf } from "@sightline/core/format";
import { getPresetSettings, type KeyFrameSettings } from "@sightline/core/keyframes";
import type { Motion } from "@sightline/core/motion";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconArrowsDiff, IconPhotoScan } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { ExchangeMenu } from "../../app/exchange/exchange-menu.tsx";
import { writeSettings } from "../../app/settings-in-url.ts";
import { DecisionList } from "./decision-list.tsx";
import { HistoryList } from "./decisions/history-list.tsx";
import type { ShownFrame } from "./decisions/shown-frames.ts";
import type { DecisionState } from "./decisions/use-decisions.ts";
import { VersionLine } from "./decisions/version-line.tsx";
import classes from "./key-frame-pane.module.css";
import { countKept } from "./sampled.ts";
import { SettingsPopover } from "./settings-popover.tsx";
import type { SelectionState, Work } from "./use-selection.ts";

/** The right pane: which frames were kept under which settings, and why. */
export const KeyFramePane = memo(function KeyFramePane({
  clip,
  state,
  shown_frames,
  motions,
  decisions,
  shows_history,
  settings,
  draft,
  current,
  hovered,
  onHistory,
  onVersion,
  onReturn,
  onOpen,
  onHover,
  onSettings,
  onDraft,
  onSave,
}: {
  clip: Clip;
  state: SelectionState;
  /** Its frames as people corrected them, and geometry's word by key-frame. */
  shown_frames: readonly ShownFrame[];
  motions: ReadonlyMap<number, Motion>;
  decisions: DecisionState;
  shows_history: boolean;
  /** In force, and those that are being tried. */
  settings: KeyFrameSettings;
  draft: KeyFrameSettings | null;
  current: number | null;
  hovered: number | null;
  onHistory(): void;
  /** Null for the newest. */
  onVersion(version: number | null): void;
  onReturn(version: number): void;
  onOpen(frame: number): void;
  onHover(frame: number | null): void;
  /** Puts other settings in force. */
  onSettings(settings: KeyFrameSettings): void;
  onDraft(draft: KeyFrameSettings | null): void;
  onSave(settings: KeyFrameSettings): void;
}) {
  const { selection, work, problem } = state;
  const shown = draft ?? settings;

  function look(next: KeyFrameSettings, where: "here" | "server"): void {
    onSettings(next);
    if (where === "here") state.extractHere(next);
    else state.extractThere(next);
  }

  return (
    <section className={classes.root} aria-label="Key-frames">
      <header className={classes.header}>
        <div className={classes.title}>
          <h2>{clip.name}</h2>
          <p>{describeClip(clip)}</p>
        </div>
        <div className={classes.controls}>
          <SegmentedControl
            size="xs"
            aria-label="Preset"
            value={settings.preset}
            onChange={(preset) => onSettings(getPresetSettings(preset as KeyFrameSettings["preset"]))}
            data={[
              { value: "sightline", label: "sightline" },
              { value: "embodied-r", label: "embodied-r" },
            ]}
          />
          <Tooltip label="Compare with other settings">
            <ActionIcon
              variant="default"
              size={30}
              aria-label="Compare with other settings"
              renderRoot={(props) => (
                <Link
                  to="/clips/$clipId/compare-settings"
                  params={{ clipId: clip.clip_id }}
                  search={{ a: writeSettings(shown) }}
                  {...props}
                />
              )}
            >
              <IconArrowsDiff size={16} stroke={1.7} />
            </ActionIcon>
          </Tooltip>
          <SettingsPopover clip={clip} settings={shown} onTry={onDraft} onExtract={look} />
          <ExchangeMenu
            clip_id={clip.clip_id}
            settings_hash={state.is_saved ? selection?.settings_hash : undefined}
          />
        </div>
      </header>
      {problem !== null && (
        <p className={classes.problem} role="alert">
          {problem}
        </p>
      )}
      {work !== null && <WorkLine work={work} />}
      {selection !== null && (
        <Summary
          state={state}
          shown_frames={shown_frames}
          draft={draft}
          settings={settings}
          onDraft={onDraft}
          onSave={onSave}
        />
      )}
      {selection !== null && (
        <VersionLine
          state={decisions}
          is_saved={state.is_saved}
          is_open={shows_history}
          onHistory={onHistory}
          onVersion={onVersion}
          onReturn={onReturn}
          onSettings={onSettings}
        />
      )}
      {selection !== null && shows_history && decisions.version !== null ? (
        <HistoryList
          history={decisions.history}
          shown={decisions.version.version}
          onVersion={onVersion}
          onReturn={onReturn}
        />
      ) : selection !== null ? (
        <DecisionList
          selection={selection}
          frames={shown_frames}
          motions={motions}
          current={current}
          hovered={hovered}
          onOpen={onOpen}
          onHover={onHover}
        />
      ) : (
        work === null && !state.is_loading && <Nothing settings={settings} onLook={look} />
      )}
    </section>
  );
});

function Summary({
  state,
  shown_frames,
  draft,
  settings,
  onDraft,
  onSave,
}: {
  state: SelectionState;
  shown_frames: readonly ShownFrame[];
  draft: KeyFrameSettings | null;
  settings: KeyFrameSettings;
  onDraft(draft: KeyFrameSettings | null): void;
  onSave(settings: KeyFrameSettings): void;
}) {
  const { selection } = state;
  if (selection === null) return null;
  const { kept, sampled } = countKept(shown_frames);
  return (
    <div className={classes.summary}>
      <p data-testid="kept-count">
        <b>{formatNumberOf(kept, "key-frame")}</b> of {formatNumberOf(sampled, "sampled frame")}
      </p>
      {selection.note !== null && <p className={classes.note}>{selection.note}</p>}
      {!state.is_saved && (
        <div className={classes.trial} data-testid="trial">
          <span>{draft === null ? "Selected here, not saved" : describeTrial(draft, settings)}</span>
          <Button
            size="compact-xs"
            loading={state.work?.where === "server"}
            onClick={() => onSave(draft ?? settings)}
          >
            Save
          </Button>
          {draft !== null && (
            <Button size="compact-xs" variant="default" onClick={() => onDraft(null)}>
              Reset
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** "Preview of 0.42, saved is 0.50" */
function describeTrial(draft: KeyFrameSettings, settings: KeyFrameSettings): string {
  if (draft.threshold !== settings.threshold) {
    return `Preview of ${draft.threshold.toFixed(2)}, saved is ${settings.threshold.toFixed(2)}`;
  }
  return `Preview of ${draft.min_frames}–${draft.max_frames} frames, saved is ${settings.min_frames}–${settings.max_frames}`;
}

function WorkLine({ work }: { work: Work }) {
  const share = work.total === null || work.total === 0 ? null : work.done / work.total;
  return (
    <div className={classes.work} role="status" data-testid="work">
      <span>
        {work.where === "here" ? "Looking at the clip here" : "The server looks at the clip"}
        {share !== null && ` · ${work.done} of ${work.total}`}
      </span>
      <Progress
        value={(share ?? 1) * 100}
        animated={share === null}
        size={4}
        className={classes.progress}
        aria-label="Extraction"
      />
      <Button size="compact-xs" variant="default" onClick={work.cancel}>
        Cancel
      </Button>
    </div>
  );
}

function Nothing({
  settings,
  onLook,
}: {
  settings: KeyFrameSettings;
  onLook(settings: KeyFrameSettings, where: "here" | "server"): void;
}) {
  return (
    <EmptyState
      icon={<IconPhotoScan size={28} stroke={1.4} />}
      title="No key-frames under these settings yet"
      actions={
        <>
          <Button size="xs" onClick={() => onLook(settings, "here")}>
            Select here
          </Button>
          <Button size="xs" variant="default" onClick={() => onLook(settings, "server")}>
            On the server
          </Button>
        </>
      }
    >
      The extractor compares each sampled frame with the key-frame before it and keeps those that show
      something else.
    </EmptyState>
  );
}

function describeClip(clip: Clip): string {
  return [
    clip.display_width === null ? null : `${clip.display_width} × ${clip.display_height}`,
    clip.codec === null ? null : formatCodec(clip.codec),
    clip.frame_count === null ? null : formatNumberOf(clip.frame_count, "frame"),
    clip.duration_secs === null ? "length unknown" : formatClock(clip.duration_secs),
  ]
    .filter((part) => part !== null)
    .join(" · ");
}
