import type { Clip, SampleTable } from "@sightline/core/clips";
import {
  type ComparedFrame,
  countAgreement,
  getPresetSettings,
  type KeyFrameSettings,
  pairFrames,
} from "@sightline/core/keyframes";
import { Pane, PaneGroup } from "@sightline/ui/pane";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useKeys } from "../../../app/keys.ts";
import { readSettings, writeSettings } from "../../../app/settings-in-url.ts";
import { findNeighbour } from "../sampled.ts";
import classes from "./compare-desk.module.css";
import { Differences } from "./differences.tsx";
import { Head } from "./head.tsx";
import { Tracks } from "./tracks.tsx";
import { useSide } from "./use-side.ts";

const route = getRouteApi("/clips/$clipId/compare-settings");
const none: readonly ComparedFrame[] = [];

/** Two selections of one clip over one time axis, and every frame on which they part. */
export function CompareDesk({
  clip,
  table,
  saved,
}: {
  clip: Clip;
  table: SampleTable;
  /** What an address without settings compares with the other preset. */
  saved: KeyFrameSettings;
}) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/clips/$clipId/compare-settings" });
  const settings_a = useMemo(() => readSettings(search.a ?? {}, saved), [search.a, saved]);
  const other = getPresetSettings(settings_a.preset === "sightline" ? "embodied-r" : "sightline");
  const settings_b = useMemo(() => readSettings(search.b ?? {}, other), [search.b, other]);
  const put = (side: "a" | "b", settings: KeyFrameSettings) =>
    void navigate({
      search: (now) => ({
        ...now,
        // Both stand in the address from now on: what one is must not hang on the other.
        a: writeSettings(side === "a" ? settings : settings_a),
        b: writeSettings(side === "b" ? settings : settings_b),
      }),
      replace: true,
    });
  const a = useSide("a", clip, table, settings_a, (next) => put("a", next));
  const b = useSide("b", clip, table, settings_b, (next) => put("b", next));

  const [selection_a, selection_b] = [a.state.selection, b.state.selection];
  const frames = useMemo(
    () => (selection_a === null || selection_b === null ? none : pairFrames(selection_a, selection_b)),
    [selection_a, selection_b],
  );
  const agreement = useMemo(() => (frames.length === 0 ? null : countAgreement(frames)), [frames]);
  const different = useMemo(() => frames.filter(({ kept }) => kept === "a" || kept === "b"), [frames]);

  const last = Math.max(0, table.time_secs.length - 1);
  const frame = Math.min(last, search.frame ?? different[0]?.frame ?? 0);
  const [hovered, setHovered] = useState<number | null>(null);
  const open = (next: number) =>
    void navigate({ search: (now) => ({ ...now, frame: next }), replace: true, resetScroll: false });
  const go = (ordinals: readonly number[], direction: 1 | -1) => {
    const next = findNeighbour(ordinals, frame, direction);
    if (next !== null) open(next);
  };
  const ordinals = frames.map((one) => one.frame);
  const apart = different.map((one) => one.frame);
  useKeys("Two settings", [
    { key: "N", label: "Next difference", run: () => go(apart, 1) },
    { key: "P", label: "Previous difference", run: () => go(apart, -1) },
    { key: "ArrowRight", label: "Next sampled frame", run: () => go(ordinals, 1) },
    { key: "ArrowLeft", label: "Previous sampled frame", run: () => go(ordinals, -1) },
    { key: "X", label: "Swap the two", run: () => swap() },
  ]);
  function swap() {
    void navigate({
      search: (now) => ({ ...now, a: writeSettings(b.settings), b: writeSettings(a.settings) }),
      replace: true,
    });
  }

  const current = frames.find((one) => one.frame === frame) ?? null;
  return (
    <div className={classes.page}>
      <Head clip={clip} a={a} b={b} agreement={agreement} frame={frame} onSwap={swap} />
      <div className={classes.body}>
        <PaneGroup id="compare-settings">
          <Pane id="tracks" size={70} min={380}>
            <Tracks
              clip={clip}
              table={table}
              a={a}
              b={b}
              frames={frames}
              frame={frame}
              hovered={hovered}
              onHover={setHovered}
              onOpen={open}
            />
          </Pane>
          <Pane id="differences" size={30} min={280}>
            <Differences
              clip={clip}
              a={a}
              b={b}
              is_ready={agreement !== null}
              different={different}
              current={current}
              frame={frame}
              onOpen={open}
              onHover={setHovered}
              onStep={(direction) => go(apart, direction)}
            />
          </Pane>
        </PaneGroup>
      </div>
    </div>
  );
}
