import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ExchangeFormat,
  type KeyFrameExport,
  writeCsv,
  writeCvat,
  writeFiftyOne,
  writeLabelStudio,
  writeProvenance,
} from "@sightline/core/exchange";
import { makeUnlike, toFileName, toStem } from "./names.ts";
import { writeZip, type ZipEntry } from "./zip.ts";

/** The formats that a person can choose; the JSON of our own goes with the released layout. */
export type ExportFormat = Exclude<ExchangeFormat, "sightline">;

const ENDINGS: Record<ExportFormat, string> = {
  released: ".released.zip",
  csv: ".csv",
  cvat: ".cvat.xml",
  "label-studio": ".label-studio.json",
  fiftyone: ".fiftyone.zip",
};

/** "walk.keyframes-v3.csv"; of several clips "7 clips.keyframes.csv". */
export function nameExport(exports: readonly { clip_name: string; version: number }[], format: ExportFormat) {
  const [only] = exports;
  const about =
    exports.length === 1 && only !== undefined
      ? `${toFileName(toStem(only.clip_name))}.keyframes-v${only.version}`
      : `${exports.length} clips.keyframes`;
  return about + (format === "cvat" && exports.length > 1 ? ".cvat.zip" : ENDINGS[format]);
}

export type WriteParts = {
  exports: readonly KeyFrameExport[];
  /** Where the export is written; the folder is also for what goes into it. */
  folder: string;
  out: string;
  signal: AbortSignal;
  /** Writes a clip's key-frames as a video. */
  writeVideo(held: KeyFrameExport, out: string): Promise<void>;
  /** Rows of the released code's `processed_*.json`. */
  listProcessed(held: KeyFrameExport): unknown[];
};

/** Writes an export of one format. Of several files it makes an archive. */
export async function writeExport(format: ExportFormat, parts: WriteParts): Promise<void> {
  const { exports, out, signal } = parts;
  switch (format) {
    case "csv":
      return writeFile(out, writeCsv(exports), { signal });
    case "cvat":
      return writeCvatFiles(parts);
    case "label-studio":
      return writeFile(out, writeLabelStudio(exports), { signal });
    case "fiftyone": {
      const files = Object.entries(writeFiftyOne(exports));
      return writeZip(
        out,
        files.map(([path, text]) => ({ path, text })),
        signal,
      );
    }
    case "released":
      return writeReleased(parts);
  }
}

/** One file, or an archive of one a clip. */
async function writeCvatFiles({ exports, out, signal }: WriteParts) {
  const [only, ...others] = exports;
  if (only !== undefined && others.length === 0) return writeFile(out, writeCvat(only), { signal });
  const names = makeUnlike(exports.map(({ clip_name }) => `${toFileName(toStem(clip_name))}.xml`));
  const entries = exports.map((held, at) => ({ path: names[at] ?? "", text: writeCvat(held) }));
  return writeZip(out, entries, signal);
}

/** `video_keyframe/<video>` a clip with our provenance beside it, and `processed_sightline.json` where there are triples. */
async function writeReleased({ exports, folder, out, signal, writeVideo, listProcessed }: WriteParts) {
  // The released code opens them by the source's name; what is written is MP4, whatever the source was.
  const names = makeUnlike(
    exports.map(({ clip_name }) => {
      const safe = toFileName(clip_name);
      return /\.(mp4|m4v|mov)$/i.test(safe) ? safe : `${toStem(safe)}.mp4`;
    }),
  );
  const entries: ZipEntry[] = [];
  const processed: unknown[] = [];
  for (const [at, held] of exports.entries()) {
    const file = join(folder, `${at}.mp4`);
    await writeVideo(held, file);
    const path = `video_keyframe/${names[at]}`;
    entries.push({ path, file }, { path: `${path}.json`, text: writeProvenance(held) });
    processed.push(...listProcessed(held));
  }
  if (processed.length > 0)
    entries.push({ path: "processed_sightline.json", text: `${JSON.stringify(processed, null, 1)}\n` });
  await writeZip(out, entries, signal);
}
