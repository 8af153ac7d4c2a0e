import type { Draft } from "./preflight.ts";

/**
 * Names one launch: the same draft with the same content is the same launch, however often and from how many tabs it
 * is asked for; a changed draft is another one.
 *
 * @param draft_key  The draft's own name, which its URL holds.
 */
export function getLaunchKey(draft_key: string, draft: Draft): string {
  return `${draft_key}-${hash(JSON.stringify(draft))}`;
}

/** FNV-1a over UTF-16, twice with different starts; told apart are the few versions of one draft. */
function hash(text: string): string {
  return [0x811c9dc5, 0x01000193].map((start) => fnv(text, start).toString(36)).join("");
}

function fnv(text: string, start: number): number {
  let value = start;
  for (let k = 0; k < text.length; k += 1) value = Math.imul(value ^ text.charCodeAt(k), 0x01000193) >>> 0;
  return value;
}
