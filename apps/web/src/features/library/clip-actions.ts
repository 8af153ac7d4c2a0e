import type { Clip } from "@sightline/core/clips";
import type { MouseEvent } from "react";

/** What a card or a row can ask of the page. */
export type ClipActions = {
  /** A click: opens the clip, or with Ctrl, ⌘ or Shift selects it. */
  click: (clip: Clip, event: MouseEvent) => void;
  toggle: (clip: Clip) => void;
  rename: (clip: Clip) => void;
  endRename: (clip: Clip, name: string | null) => void;
  tag: (clip: Clip) => void;
  trash: (clip: Clip) => void;
  restore: (clip: Clip) => void;
};

/** How one clip stands on the page. */
export type ClipView = {
  clip: Clip;
  isSelected: boolean;
  isCursor: boolean;
  isRenaming: boolean;
  /** How far its reading is, in [0, 1]; null when not known. */
  share: number | null;
};
