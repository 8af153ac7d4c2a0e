import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const Contents = z.record(z.string(), z.string());

/** Keys and addresses that nobody else may read: in a file that only its owner can read, and nowhere else. */
export type Secrets = {
  get(name: string): string | null;
  /** Null takes it away. */
  set(name: string, secret: string | null): void;
};

/** @param name  Of the file in the data folder; each feature has its own. */
export function createSecrets(dataDir: string, name: string): Secrets {
  const file = join(dataDir, name);
  const secrets = new Map(Object.entries(readSecrets(file)));
  return {
    get: (name) => secrets.get(name) ?? null,
    set(name, secret) {
      if ((secrets.get(name) ?? null) === secret) return;
      const next = new Map(secrets);
      if (secret === null) next.delete(name);
      else next.set(name, secret);
      writeSecrets(file, Object.fromEntries(next));
      secrets.clear();
      for (const [id, value] of next) secrets.set(id, value);
    },
  };
}

function readSecrets(file: string): Record<string, string> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
  chmodSync(file, 0o600);
  const parsed = Contents.safeParse(readJson(text));
  if (!parsed.success) throw new Error(`${file} does not hold secrets. Move it away and start again.`);
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

function writeSecrets(file: string, secrets: Record<string, string>): void {
  const draft = `${file}.part`;
  const handle = openSync(draft, "w", 0o600);
  try {
    writeSync(handle, `${JSON.stringify(secrets, null, 2)}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}
