import { randomBytes } from "node:crypto";
import { chmodSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FORM = /^[A-Za-z0-9_-]{43}$/;

/**
 * The secret of one installation: 256 bits, base64url, in a file that only its owner can read.
 *
 * Made at the first start. Deleting the file and starting again makes a new one and ends every session.
 */
export function loadInstallToken(dataDir: string): string {
  const file = join(dataDir, "token");
  const known = readToken(file);
  if (known !== null) return known;
  // Written aside and then linked, so that a reader never sees half a token and the first of two writers wins.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${randomBytes(32).toString("base64url")}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  const made = readToken(file);
  if (made === null) throw new Error(`${file} does not hold a token. Delete it and start again.`);
  return made;
}

function readToken(file: string): string | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  if (!FORM.test(text)) throw new Error(`${file} does not hold a token. Delete it and start again.`);
  chmodSync(file, 0o600);
  return text;
}
