import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const Keys = z.record(z.string(), z.string());

/** The keys of endpoints, by endpoint: in a file that only its owner can read, and nowhere else. */
export type EndpointKeys = {
  get(endpoint_id: string): string | null;
  /** Null takes the key away. */
  set(endpoint_id: string, key: string | null): void;
};

export function createEndpointKeys(dataDir: string): EndpointKeys {
  const file = join(dataDir, "keys.json");
  const keys = new Map(Object.entries(readKeys(file)));
  return {
    get: (endpoint_id) => keys.get(endpoint_id) ?? null,
    set(endpoint_id, key) {
      if ((keys.get(endpoint_id) ?? null) === key) return;
      const next = new Map(keys);
      if (key === null) next.delete(endpoint_id);
      else next.set(endpoint_id, key);
      writeKeys(file, Object.fromEntries(next));
      keys.clear();
      for (const [id, value] of next) keys.set(id, value);
    },
  };
}

function readKeys(file: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
  chmodSync(file, 0o600);
  const parsed = Keys.safeParse(readJson(text));
  if (!parsed.success) throw new Error(`${file} does not hold keys. Move it away and start again.`);
  return parsed.data;
}

/** A parser's own message would repeat what it read. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function writeKeys(file: string, keys: Record<string, string>): void {
  const draft = `${file}.part`;
  const handle = openSync(draft, "w", 0o600);
  try {
    writeSync(handle, `${JSON.stringify(keys, null, 2)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}
