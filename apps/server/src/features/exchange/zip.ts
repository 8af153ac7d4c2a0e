import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ExchangeProblem } from "@sightline/core/exchange";
import { openPromise } from "yauzl";
import { ZipFile } from "yazl";
import { isDiskFull } from "../../data-folder/explain-failure.ts";

/** A file of an archive: its path there, and its text or where it lies. */
export type ZipEntry = { path: string; text: string } | { path: string; file: string };

/** Writes an archive piece by piece; what lies in files is video and is stored as it is. */
export async function writeZip(
  out: string,
  entries: readonly ZipEntry[],
  signal: AbortSignal,
): Promise<void> {
  const zip = new ZipFile();
  for (const entry of entries) {
    if ("text" in entry) zip.addBuffer(Buffer.from(entry.text), entry.path);
    else zip.addFile(entry.file, entry.path, { compress: false });
  }
  zip.end();
  await pipeline(zip.outputStream as NodeJS.ReadableStream, createWriteStream(out), { signal });
}

/** What an archive may hold: a small file can unpack to more than a disk holds. */
const MOST_ENTRIES = 5000;

/**
 * Unpacks an archive's files, whatever their paths say, as `0`, `1`, … in a folder; of what can't be unpacked whole
 * nothing stays.
 *
 * @param most_bytes  All of them together.
 * @throws ExchangeProblem when the archive is broken, encrypted or too large.
 */
export async function unpackZip(
  file: string,
  folder: string,
  most_bytes: number,
): Promise<{ path: string; file: string }[]> {
  const zip = await openPromise(file, { autoClose: false }).catch((error: unknown) => {
    throw brokenZip(error);
  });
  const unpacked: { path: string; file: string }[] = [];
  let left = most_bytes;
  try {
    await mkdir(folder, { recursive: true });
    if (zip.entryCount > MOST_ENTRIES)
      throw new ExchangeProblem(
        `The archive has more than ${MOST_ENTRIES} files. Unpack it and import part of it.`,
      );
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName.endsWith("/")) continue;
      const to = join(folder, String(unpacked.length));
      const meter = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          left -= chunk.length;
          done(left < 0 ? tooLarge(most_bytes) : null, chunk);
        },
      });
      if (entry.uncompressedSize > left) throw tooLarge(most_bytes);
      await pipeline(await zip.openReadStreamPromise(entry), meter, createWriteStream(to));
      unpacked.push({ path: entry.fileName, file: to });
    }
    return unpacked;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (error instanceof ExchangeProblem || isDiskFull(error)) throw error;
    throw brokenZip(error);
  } finally {
    zip.close();
  }
}

function tooLarge(most_bytes: number): ExchangeProblem {
  return new ExchangeProblem(
    `Unpacked it is more than ${most_bytes / 2 ** 20} MB. Unpack it yourself and import part of it.`,
  );
}

function brokenZip(error: unknown): ExchangeProblem {
  const reason = error instanceof Error ? error.message : String(error);
  return new ExchangeProblem(`The archive is broken or cut short (${reason}). Fetch it again.`, {
    cause: error,
  });
}
