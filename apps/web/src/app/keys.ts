import { useHotkeys } from "@mantine/hooks";
import { useEffect } from "react";
import { create } from "zustand";

/** One key of a page. */
export type KeyBinding = {
  /** In Mantine's notation: "ArrowLeft", "mod+Z", "Delete", "/". */
  key: string;
  /** What it does, for the list under `?`: "Rename the clip". */
  label: string;
  /** Absent when the part that has the focus handles the key itself; the key is then only listed. */
  run?: (event: KeyboardEvent) => void;
};

type PageKeys = { page: string; bindings: readonly KeyBinding[] };

/** The keys of the pages that are on screen, in the order in which they appeared. */
export const usePageKeys = create<{ pages: PageKeys[] }>(() => ({ pages: [] }));

/**
 * Binds the keys of a page and lists them under `?`. Keys rest while a text field has the focus.
 *
 * @param page  Heading in the list: "Library".
 */
export function useKeys(page: string, bindings: readonly KeyBinding[]): void {
  useHotkeys(
    bindings.flatMap(({ key, run }) => (run === undefined ? [] : [[key, run] as [string, typeof run]])),
  );
  const listed = JSON.stringify(bindings.map(({ key, label }) => ({ key, label })));
  useEffect(() => {
    const entry: PageKeys = { page, bindings: JSON.parse(listed) };
    usePageKeys.setState((state) => ({ pages: [...state.pages, entry] }));
    return () => usePageKeys.setState((state) => ({ pages: state.pages.filter((other) => other !== entry) }));
  }, [page, listed]);
}
