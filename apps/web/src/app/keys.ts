import { useEffect, useEffectEvent, useLayoutEffect } from "react";
import { create } from "zustand";
import { isKeyOwned, matchesKey } from "./match-key.ts";

/** One key of a page. */
export type KeyBinding = {
  /** "ArrowLeft", "mod+Z", "shift+K", "?"; several combinations for one thing are parted by a space. */
  key: string;
  /** What it does, for the list under `?`: "Rename the clip". */
  label: string;
  /** What is listed in place of many combinations: "1–9". */
  shown?: string;
  /** Absent when the part that has the focus handles the key itself; the key is then only listed. */
  run?: (event: KeyboardEvent) => void;
  /** True when it works while a text field or a dialog has the focus, too. */
  isEverywhere?: boolean;
};

type PageKeys = { page: string; bindings: readonly KeyBinding[] };

/** The keys of what is on screen, in the order in which it appeared. */
export const usePageKeys = create<{ pages: PageKeys[] }>(() => ({ pages: [] }));

/**
 * Binds the keys of a page and lists them under `?`. A key rests while a text field has the focus, a dialog is
 * open, or the focused control uses it itself.
 *
 * @param page  Heading in the list: "Library".
 */
export function useKeys(page: string, bindings: readonly KeyBinding[]): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const binding = bindings.find(({ key }) => key.split(" ").some((one) => matchesKey(one, event)));
    if (binding?.run === undefined) return;
    if (binding.isEverywhere !== true && isKeyOwned(event.target, event)) return;
    event.preventDefault();
    binding.run(event);
  });
  // As soon as the page is in sight, and not a moment later: who sees it may press a key.
  useLayoutEffect(() => {
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);

  const listed = JSON.stringify(bindings.map(({ key, label, shown }) => ({ key, label, shown })));
  useEffect(() => {
    const entry: PageKeys = { page, bindings: JSON.parse(listed) };
    usePageKeys.setState((state) => ({ pages: [...state.pages, entry] }));
    return () => usePageKeys.setState((state) => ({ pages: state.pages.filter((other) => other !== entry) }));
  }, [page, listed]);
}
