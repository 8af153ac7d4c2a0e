/** Which clips are selected, which one the keys act on, and where a stretch began. */
export type Selection = {
  selected: ReadonlySet<string>;
  cursor: string | null;
  anchor: string | null;
};

export const nothing: Selection = { selected: new Set(), cursor: null, anchor: null };

/** Adds a clip to the selection or takes it out. */
export function toggle({ selected }: Selection, id: string): Selection {
  const next = new Set(selected);
  if (!next.delete(id)) next.add(id);
  return { selected: next, cursor: id, anchor: id };
}

/** Selects from where the last stretch began to `id`, in the order on screen. */
export function extend(
  { selected, anchor, cursor }: Selection,
  ids: readonly string[],
  id: string,
): Selection {
  const start = anchor ?? cursor ?? id;
  const [from, to] = [ids.indexOf(start), ids.indexOf(id)];
  if (from === -1) return toggle({ selected, anchor, cursor }, id);
  const stretch = ids.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { selected: new Set([...selected, ...stretch]), cursor: id, anchor: start };
}

/**
 * Moves the cursor.
 *
 * @param by  Places to move: ±1 sideways, ± the number of columns up and down. It stops at the ends.
 */
export function move(selection: Selection, ids: readonly string[], by: number): Selection {
  if (ids.length === 0) return selection;
  const at = selection.cursor === null ? -1 : ids.indexOf(selection.cursor);
  const to = at === -1 ? (by > 0 ? 0 : ids.length - 1) : at + by;
  const isSideways = Math.abs(by) === 1;
  if (!isSideways && (to < 0 || to >= ids.length) && at !== -1) {
    const lastRow = Math.floor((ids.length - 1) / Math.abs(by));
    const row = Math.floor(at / Math.abs(by));
    // Down from the last row but one reaches a shorter last row; further there is nowhere to go.
    if (by < 0 || row === lastRow) return selection;
  }
  const cursor = ids[Math.min(ids.length - 1, Math.max(0, to))] ?? null;
  return { ...selection, cursor, anchor: cursor };
}

/** What is left of a selection when the list shows other clips. */
export function keepOnly(selection: Selection, ids: readonly string[]): Selection {
  const shown = new Set(ids);
  const isWhole =
    [...selection.selected].every((id) => shown.has(id)) &&
    (selection.cursor === null || shown.has(selection.cursor));
  if (isWhole) return selection;
  const has = (id: string | null) => (id !== null && shown.has(id) ? id : null);
  return {
    selected: new Set([...selection.selected].filter((id) => shown.has(id))),
    cursor: has(selection.cursor),
    anchor: has(selection.anchor),
  };
}

/** What a command acts on: the selected clips, or without any the one under the cursor. */
export function getTargets({ selected, cursor }: Selection): string[] {
  if (selected.size > 0) return [...selected];
  return cursor === null ? [] : [cursor];
}
