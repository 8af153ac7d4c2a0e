import { useCallbackRef } from "@mantine/hooks";
import type { Clip, SampleTable } from "@sightline/core/clips";
import type { KeyFrameSettings } from "@sightline/core/keyframes";
import { DetectionOverlay } from "@sightline/ui/detection-overlay";
import { MatchOverlay } from "@sightline/ui/match-overlay";
import { Pane, PaneGroup } from "@sightline/ui/pane";
import { FrameView, TransportBar, useTransport } from "@sightline/ui/player";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import type { ClipPane } from "../../app/clip-pane.ts";
import { useJobs } from "../../app/jobs.ts";
import { useKeys } from "../../app/keys.ts";
import { readSettings, writeSettings } from "../../app/settings-in-url.ts";
import classes from "./clip-desk.module.css";
import { DecisionBar, type OpenField } from "./decisions/decision-bar.tsx";
import { listShown } from "./decisions/shown-frames.ts";
import { useDecisionActions } from "./decisions/use-decision-actions.ts";
import { useDecisionKeys } from "./decisions/use-decision-keys.ts";
import { useDecisions } from "./decisions/use-decisions.ts";
import { useMotions } from "./decisions/use-motions.ts";
import { KeyFramePane } from "./key-frame-pane.tsx";
import { MatchToggle } from "./match-toggle.tsx";
import { Notices } from "./notices.tsx";
import { ObjectToggle } from "./object-toggle.tsx";
import { findNeighbour } from "./sampled.ts";
import { SidePane } from "./side-pane.tsx";
import { TimelinePane } from "./timeline-pane.tsx";
import { useDraft } from "./use-draft.ts";
import { useFrameSource } from "./use-frame-source.ts";
import { useMatches } from "./use-matches.ts";
import { useObjects } from "./use-objects.ts";
import { usePlayhead } from "./use-playhead.ts";
import { useSelection } from "./use-selection.ts";

const route = getRouteApi("/clips/$clipId");

/** The researcher's desk for a clip that was read: player, timeline and key-frames, all of one frame. */
export function ClipDesk({
  clip,
  table,
  saved,
  panes,
}: {
  clip: Clip;
  table: SampleTable;
  /** The key-frame settings that a URL without any means. */
  saved: KeyFrameSettings;
  /** Beside the key-frames, each under a tab. */
  panes: readonly ClipPane[];
}) {
  const { time_secs } = table;
  const duration_secs = getDuration(clip, time_secs);
  const width = clip.display_width ?? 16;
  const height = clip.display_height ?? 9;

  const playhead = usePlayhead(time_secs.length);
  const { frame } = playhead;
  const frames = useFrameSource(clip, table);
  const transport = useTransport({
    source: frames.source,
    time_secs,
    frame,
    onFrame: (next) => playhead.pass(next),
  });

  const search = route.useSearch();
  const navigate = useNavigate({ from: "/clips/$clipId" });
  const { preset, threshold, interval, width: plane, least, most, gap } = search;
  const settings = useMemo(
    () => readSettings({ preset, threshold, interval, width: plane, least, most, gap }, saved),
    [preset, threshold, interval, plane, least, most, gap, saved],
  );
  const { draft, tryOut, drop } = useDraft(settings);
  const state = useSelection(clip, table, settings, draft);
  const { selection } = state;

  const decisions = useDecisions(clip.clip_id, time_secs, selection, state.is_saved, search.version ?? null);
  const { version } = decisions;
  const motions = useMotions(version);
  const shown = useMemo(
    () => (selection === null ? [] : listShown(selection, version)),
    [selection, version],
  );
  const sampled = useMemo(() => shown.map((one) => one.frame), [shown]);
  const kept = useMemo(() => shown.filter((one) => one.kept).map((one) => one.frame), [shown]);
  const current = sampled.findLast((ordinal) => ordinal <= frame) ?? null;
  const [hovered, setHovered] = useState<number | null>(null);

  const open = useCallbackRef((next: number) => {
    transport.stop();
    playhead.open(next);
  });
  const tryThreshold = useCallbackRef((next: number) => {
    if (draft !== null || next !== settings.threshold) tryOut({ ...(draft ?? settings), threshold: next });
  });

  const putSettings = useCallbackRef((next: KeyFrameSettings) => {
    drop();
    // A version and a draft belong to the settings that they were made under.
    void navigate({
      search: (now) => ({ ...now, ...writeSettings(next), version: undefined, try: undefined }),
      resetScroll: false,
    });
  });
  const save = useCallbackRef((next: KeyFrameSettings) => {
    state.extractThere(next);
    putSettings(next);
  });

  function goTo(frames_: readonly number[], direction: 1 | -1): void {
    const next = findNeighbour(frames_, frame, direction);
    if (next !== null) transport.goTo(next);
  }

  const showVersion = useCallbackRef(
    (next: number | null) =>
      void navigate({ search: (now) => ({ ...now, version: next ?? undefined }), resetScroll: false }),
  );
  const [shows_history, setShowsHistory] = useState(search.version !== undefined);
  const toggleHistory = useCallbackRef(() => {
    setShowsHistory((shows) => search.tab !== undefined || !shows);
    if (search.tab !== undefined) {
      void navigate({ search: (now) => ({ ...now, tab: undefined }), resetScroll: false });
    }
  });
  const [field, setField] = useState<OpenField>(null);
  const actions = useDecisionActions({
    state: decisions,
    selection,
    shown,
    frame,
    motions,
    onOpen: open,
    onNewest() {
      if (search.version !== undefined) showVersion(null);
    },
  });
  const returnTo = useCallbackRef(actions.returnTo);
  const decide = useCallbackRef(actions.decide);
  useDecisionKeys(actions, search.tab !== "triples", { onField: setField, onHistory: toggleHistory });

  const [shows_matches, setShowsMatches] = useState(false);
  const toggleMatches = () => setShowsMatches((shows) => !shows);
  const matches = useMatches(shows_matches, selection, state.stored, frame, width);
  const [shows_objects, setShowsObjects] = useState(false);
  const toggleObjects = () => setShowsObjects((shows) => !shows);
  const objects = useObjects(shows_objects, frames.source, frame, width, height);

  useKeys("Clip", [
    { key: "Space", label: "Play or stop", run: transport.toggle },
    { key: "J", label: "Play backwards; again for 2× and 4×", run: () => transport.press("j") },
    { key: "K", label: "Stop", run: () => transport.press("k") },
    { key: "L", label: "Play; again for 2× and 4×", run: () => transport.press("l") },
    { key: ",", label: "Previous frame", run: () => transport.step(-1) },
    { key: ".", label: "Next frame", run: () => transport.step(1) },
    { key: "<", label: "A second back", run: () => transport.skip(-1) },
    { key: ">", label: "A second on", run: () => transport.skip(1) },
    { key: "ArrowLeft", label: "Previous sampled frame", run: () => goTo(sampled, -1) },
    { key: "ArrowRight", label: "Next sampled frame", run: () => goTo(sampled, 1) },
    { key: "[", label: "Previous key-frame", run: () => goTo(kept, -1) },
    { key: "]", label: "Next key-frame", run: () => goTo(kept, 1) },
    { key: "M", label: "Matches with the key-frame", run: toggleMatches },
    { key: "O", label: "Objects that the small detector finds", run: toggleObjects },
    { key: "Home", label: "First frame", run: () => transport.goTo(0) },
    { key: "End", label: "Last frame", run: () => transport.goTo(time_secs.length - 1) },
  ]);

  const jobs = useJobs();
  const proxy_job = jobs.findLast((job) => job.kind === "proxy" && job.clip_id === clip.clip_id) ?? null;
  const shown_threshold = (draft ?? settings).threshold;
  return (
    <PaneGroup id="clip">
      <Pane id="picture" size={70} min={360}>
        <PaneGroup id="clip-picture" direction="vertical">
          <Pane id="player" size={60} min={260}>
            <div className={classes.player}>
              <Notices
                clip={clip}
                frames={frames}
                frame={frame}
                out_of_range={playhead.out_of_range}
                proxy_job={proxy_job}
              />
              <div className={classes.view}>
                <FrameView
                  source={frames.source}
                  frame={frame}
                  direction={transport.direction}
                  time_secs={time_secs[frame] ?? 0}
                  width={width}
                  height={height}
                >
                  {(units_per_px) => (
                    <>
                      {matches.state === "shown" && (
                        <MatchOverlay
                          matches={matches.picture.matches}
                          quad={matches.picture.quad}
                          scale={units_per_px}
                        />
                      )}
                      {objects.state === "shown" && (
                        <DetectionOverlay detections={objects.detections} scale={units_per_px} />
                      )}
                    </>
                  )}
                </FrameView>
              </div>
              <TransportBar
                transport={transport}
                frame={frame}
                frame_count={time_secs.length}
                time_secs={time_secs[frame] ?? 0}
                duration_secs={clip.duration_secs}
              >
                <MatchToggle matches={matches} onToggle={toggleMatches} />
                <ObjectToggle objects={objects} onToggle={toggleObjects} />
              </TransportBar>
              {selection !== null && (
                <DecisionBar
                  actions={actions}
                  person={
                    version?.key_frames.find((one) => one.frame === actions.step?.frame)?.action ?? null
                  }
                  open={field}
                  onOpen={setField}
                />
              )}
            </div>
          </Pane>
          <Pane id="timeline" size={40} min={220}>
            <TimelinePane
              clip_id={clip.clip_id}
              time_secs={time_secs}
              duration_secs={duration_secs}
              aspect={width / height}
              frame={frame}
              selection={selection}
              shown={shown}
              threshold={shown_threshold}
              saved_threshold={shown_threshold === settings.threshold ? null : settings.threshold}
              hovered={hovered}
              onHover={setHovered}
              onOpen={open}
              onPass={(next) => {
                transport.stop();
                playhead.pass(next);
              }}
              onDrag={(next) => {
                transport.stop();
                playhead.drag(next);
              }}
              onThreshold={tryThreshold}
              onPrepare={state.prepare}
            />
          </Pane>
        </PaneGroup>
      </Pane>
      <Pane id="key-frames" size={30} min={300}>
        <SidePane
          panes={panes}
          shown={search.tab ?? null}
          onShow={(tab) =>
            void navigate({ search: (now) => ({ ...now, tab: tab ?? undefined }), resetScroll: false })
          }
          pane_props={{
            clip,
            table,
            selection,
            version,
            onDecide: decide,
            is_saved: state.is_saved,
            frame,
            hovered,
            onOpen: open,
            onHover: setHovered,
          }}
        >
          <KeyFramePane
            clip={clip}
            state={state}
            shown_frames={shown}
            motions={motions}
            decisions={decisions}
            shows_history={shows_history}
            settings={settings}
            draft={draft}
            current={current}
            hovered={hovered}
            onHistory={toggleHistory}
            onVersion={showVersion}
            onReturn={returnTo}
            onOpen={open}
            onHover={setHovered}
            onSettings={putSettings}
            onDraft={tryOut}
            onSave={save}
          />
        </SidePane>
      </Pane>
    </PaneGroup>
  );
}

/** The clip's length; where the container does not say, the last frame lasts as long as the one before it. */
function getDuration(clip: Clip, time_secs: readonly number[]): number {
  const last = time_secs.at(-1) ?? 0;
  const before = time_secs.at(-2) ?? last - 1 / 30;
  return Math.max(clip.duration_secs ?? 0, last + (last - before), 1 / 30);
}
