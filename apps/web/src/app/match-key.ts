/** What of a key press decides; a `KeyboardEvent` is one. */
export type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "shiftKey" | "altKey">;

/**
 * True when a press is the combination.
 *
 * Shift is looked at for letters and named keys only: "?" and "/" are typed with or without it, as the
 * keyboard has it.
 *
 * @param combination  "k", "shift+K", "mod+Z", "ArrowLeft", "Space", "?"; "mod" is Ctrl or ⌘.
 */
export function matchesKey(combination: string, press: KeyPress): boolean {
  const parts = combination === "+" ? ["+"] : combination.split("+");
  const wanted = parts.at(-1) ?? "";
  const has = (modifier: string) => parts.slice(0, -1).includes(modifier);
  if (has("mod") !== (press.ctrlKey || press.metaKey) || has("alt") !== press.altKey) return false;
  const key = press.key === " " ? "Space" : press.key;
  if (key.toLowerCase() !== wanted.toLowerCase()) return false;
  const isSymbol = wanted.length === 1 && wanted.toLowerCase() === wanted.toUpperCase();
  return isSymbol || has("shift") === press.shiftKey;
}

const OWNERS: [keys: RegExp, selector: string][] = [
  [/^(Enter|Space)$/, "button, a, summary, [role=button], [role=menuitem], [role=option], [role=tab]"],
  [
    /^(Arrow|Home|End|Page)/,
    "[role=menu], [role=listbox], [role=slider], [role=separator], [role=radiogroup], [role=tablist]",
  ],
];

/** True when the focused part uses the key itself: a text field any, a button Enter, a menu the arrows. */
export function isKeyOwned(target: EventTarget | null, press: KeyPress): boolean {
  if (!(target instanceof Element)) return false;
  if (
    target.closest("input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable=true]") !==
    null
  ) {
    return true;
  }
  if (target.closest("[role=dialog]") !== null) return true;
  const key = press.key === " " ? "Space" : press.key;
  return OWNERS.some(([keys, selector]) => keys.test(key) && target.closest(selector) !== null);
}
