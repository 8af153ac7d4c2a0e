import { create } from "zustand";

/** A clip whose key-frames go out: by default those saved last, in their newest version. */
export type ExportChoice = { clip_id: string; settings_hash?: string };

/** Which dialog about key-frames and files is open, on which page soever. */
export type ExchangeDialog =
  | { kind: "export"; clips: readonly ExportChoice[] }
  /** `at`: the clip and selection that the person is at; null in the library. */
  | { kind: "import"; at: ExportChoice | null };

export const useExchange = create<{ dialog: ExchangeDialog | null }>(() => ({ dialog: null }));

/** Asks in which format key-frames are to be exported. */
export function openExport(clips: readonly ExportChoice[]): void {
  if (clips.length > 0) useExchange.setState({ dialog: { kind: "export", clips } });
}

/** Asks for files of key-frames. */
export function openImport(at: ExportChoice | null): void {
  useExchange.setState({ dialog: { kind: "import", at } });
}

export function closeExchange(): void {
  useExchange.setState({ dialog: null });
}
