import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** The first and last bytes of a file, enough to say what it is. */
type Ends = { size: number; head: Buffer; tail: Buffer };

function readEnds(file: string): Ends {
  const descriptor = openSync(file, "r");
  try {
    const { size } = fstatSync(descriptor);
    const head = Buffer.alloc(Math.min(size, 4096));
    readSync(descriptor, head, 0, head.length, 0);
    const tail = Buffer.alloc(Math.min(size, 16));
    readSync(descriptor, tail, 0, tail.length, size - tail.length);
    return { size, head, tail };
  } finally {
    closeSync(descriptor);
  }
}

type Box = { type: string; start: number; size: number };

/** Top-level boxes of an MP4 or MOV; the last may reach beyond the file's end. Empty for other files. */
function listBoxes(file: string, size: number): Box[] {
  const boxes: Box[] = [];
  const descriptor = openSync(file, "r");
  try {
    const header = Buffer.alloc(16);
    for (let start = 0; start + 8 <= size && boxes.length < 100_000; ) {
      readSync(descriptor, header, 0, 16, start);
      const type = header.toString("latin1", 4, 8);
      if (!/^[\x20-\x7e©]{4}$/.test(type)) return boxes.length > 0 && start > 8 ? boxes : [];
      let length = header.readUInt32BE(0);
      if (length === 1) length = Number(header.readBigUInt64BE(8));
      else if (length === 0) length = size - start;
      if (length < 8) return boxes;
      boxes.push({ type, start, size: length });
      start += length;
    }
    return boxes;
  } finally {
    closeSync(descriptor);
  }
}

const isMp4 = (head: Buffer) =>
  ["ftyp", "moov", "mdat", "wide", "free", "skip"].includes(head.toString("latin1", 4, 8));

const KNOWN: readonly (readonly [string | Buffer, string])[] = [
  ["%PDF", "a PDF document"],
  ["PK\x03\x04", "a ZIP archive or an office document"],
  ["\x1f\x8b", "a compressed archive"],
  ["\x89PNG", "a PNG picture"],
  ["\xff\xd8\xff", "a JPEG picture"],
  ["BM", "a BMP picture"],
  ["\x7fELF", "a program"],
  ["MZ", "a program"],
  ["ID3", "a sound file"],
  ["OggS", "an Ogg file without a video that can be read"],
  ["SQLite format 3", "a database"],
];

function looksLikeText(head: Buffer): boolean {
  if (head.includes(0)) return false;
  const text = new TextDecoder("utf-8").decode(head.subarray(0, Math.max(0, head.length - 3)));
  const odd = [...text].filter((letter) => letter === "�" || (letter < " " && !"\t\r\n\f".includes(letter)));
  return text.length > 0 && odd.length / text.length < 0.02;
}

/** Says in a sentence why nothing in a file can be shown. */
export function explainUnreadable(file: string, cause: string): string {
  const { size, head } = readEnds(file);
  if (size === 0) return "The file is empty.";
  if (head.every((byte) => byte === 0))
    return "The file holds only zeros: the copy was probably never finished.";
  if (isMp4(head)) {
    const boxes = listBoxes(file, size);
    if (!boxes.some((box) => box.type === "moov")) {
      return "The file's index (moov) is missing: the recording or the copy was cut off before it was complete.";
    }
  }
  const start = head.toString("latin1");
  const known = KNOWN.find(([magic]) => start.startsWith(magic.toString()));
  if (known) return `This is ${known[1]}, not a video.`;
  if (looksLikeText(head)) return "This is a text file, not a video.";
  return `No video could be found in the file (${cause.toLowerCase().replace(/\.$/, "")}).`;
}

/** True when the container's own sizes say that the file goes on beyond its last byte. */
export function isCutOff(file: string): boolean {
  const { size, head, tail } = readEnds(file);
  if (isMp4(head)) {
    return listBoxes(file, size).some((box) => box.start + box.size > size);
  }
  const magic = head.toString("latin1", 0, 4);
  if (magic === "RIFF" && head.length >= 8) return head.readUInt32LE(4) + 8 > size + 1;
  if (magic === "GIF8") return tail.at(-1) !== 0x3b;
  return false;
}
