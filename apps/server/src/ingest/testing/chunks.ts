import type { Chunk, StreamCursor } from "../../executors/executor.ts";

/** A chunk as a host sends it; `text` starts at `offset` of the file. */
export function chunkOf(bytes: Buffer | string, change: Partial<Chunk> = {}): Chunk {
  const buffer = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  const { run_id = "run-a", attempt = 1, stream = "events", segment = 1, inode = 7, offset = 0 } = change;
  return {
    run_id,
    attempt,
    stream,
    segment,
    inode,
    offset,
    bytes: buffer,
    next: { run_id, attempt, stream, segment, inode, offset: offset + buffer.length },
    reset: false,
    torn: false,
    oversized: null,
    ended: false,
    ...change,
  };
}

/** The chunk that a cursor gets of a file with these bytes: at most `limit`, cut anywhere. */
export function readAt(file: Buffer, cursor: StreamCursor, limit: number, inode = 7): Chunk | null {
  const reset = (cursor.inode !== null && cursor.inode !== inode) || file.length < cursor.offset;
  const offset = reset ? 0 : cursor.offset;
  const bytes = file.subarray(offset, offset + limit);
  if (bytes.length === 0 && !reset) return null;
  return chunkOf(bytes, { ...cursor, inode, offset, reset });
}

/** Lines as bytes of a file, one a line. */
export function fileOf(lines: readonly unknown[]): Buffer {
  return Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}
