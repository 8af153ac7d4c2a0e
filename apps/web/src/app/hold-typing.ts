/** A field that has not come by then does not come. */
const HOLD_MS = 5000;

const FIELD = "input:not([type=checkbox], [type=radio]), textarea, [contenteditable=true]";
const isField = (target: EventTarget | null) => target instanceof Element && target.closest(FIELD) !== null;

/** Presses a named key as if a person had. */
export function pressKey(target: EventTarget | null, key: "Enter" | "ArrowDown"): void {
  target?.dispatchEvent(new KeyboardEvent("keydown", { key, code: key, bubbles: true, cancelable: true }));
}

/**
 * Keeps what is typed until a text field has the focus, and types it there. For keys that open a field: on a slow
 * machine it comes later than the next letter, which would be taken for a key of the page.
 */
export function holdTyping(): void {
  if (isField(document.activeElement)) return;
  const keys: string[] = [];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") stop();
    const isTyped = event.key.length === 1 || event.key === "Enter";
    if (!isTyped || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) keys.push(event.key);
  };
  const onFocus = ({ target }: FocusEvent) => {
    if (!isField(target)) return;
    stop();
    // The field may be in the middle of being drawn, and so may be what it finds by the letters.
    queueMicrotask(() => {
      for (const key of keys)
        if (key === "Enter") queueMicrotask(() => pressKey(target, key));
        else document.execCommand("insertText", false, key);
    });
  };
  const stop = () => {
    clearTimeout(timer);
    document.removeEventListener("keydown", onKeyDown, true);
    document.removeEventListener("focusin", onFocus);
    document.removeEventListener("pointerdown", stop, true);
  };
  const timer = setTimeout(stop, HOLD_MS);
  document.addEventListener("keydown", onKeyDown, true);
  document.addEventListener("focusin", onFocus);
  document.addEventListener("pointerdown", stop, true);
}
