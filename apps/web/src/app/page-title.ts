import { useEffect } from "react";
import { create } from "zustand";

/** The page on screen: its place in the rail, and the thing that is open there. */
export const usePage = create<{ place: string; thing: string | null }>(() => ({ place: "", thing: null }));

/**
 * Names the page in the browser's tab and in the top bar.
 *
 * @param place  As in the rail: "Library".
 * @param thing  What is open there: the clip's or the run's name.
 */
export function usePageTitle(place: string, thing: string | null = null): void {
  useEffect(() => {
    usePage.setState({ place, thing });
    document.title = thing === null ? `${place} · Sightline` : `${thing} · ${place} · Sightline`;
  }, [place, thing]);
}
