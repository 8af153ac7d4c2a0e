import type { Clip, SampleTable } from "@sightline/core/clips";
import type { Check, Decided, SelectionVersion } from "@sightline/core/decisions";
import type { KeyFrameSelection } from "@sightline/core/keyframes";
import type { ComponentType } from "react";

/** What the clip page tells a pane beside its player. All panes read the same frame; none tells another. */
export type ClipPaneProps = {
  clip: Clip;
  table: SampleTable;
  /** The key-frames on screen; null while there are none. */
  selection: KeyFrameSelection | null;
  /** The key-frames as people corrected them, in the version on screen; null while the selection is only tried. */
  version: SelectionVersion | null;
  /** Says something of the newest version; what came of it is told on the page. */
  onDecide(decided: Decided): Check;
  /** True when the selection is one that the server holds, so that triples may be made of it. */
  is_saved: boolean;
  /** Ordinal on screen. */
  frame: number;
  /** Ordinal that the pointer is on, anywhere on the page. */
  hovered: number | null;
  onOpen(frame: number): void;
  onHover(frame: number | null): void;
};

/** A pane of another feature on the clip page. `id` is its name in the URL. */
export type ClipPane = { id: "triples" | "ask"; label: string; Pane: ComponentType<ClipPaneProps> };
