import { baseName } from "./read-row.ts";

/**
 * A clip's name as it is compared: without folders, extension and case. Two names with one key may still be two clips.
 *
 * @returns Null for a name of which nothing is left.
 */
export function toClipKey(name: string): string | null {
  const key = baseName(name.trim())
    .replace(/\.[a-z0-9]{1,5}$/i, "")
    .normalize("NFC")
    .toLowerCase()
    .trim();
  return key === "" ? null : key;
}
