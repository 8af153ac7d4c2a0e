import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import classes from "./virtual-table.module.css";

const ROW_PX = 40;

/**
 * A table of which only the rows in sight are drawn. The arrow keys, Home and End go from row to row, over the first
 * thing in each that takes the focus.
 *
 * @param columns  Widths, as CSS grid has them.
 * @param renderCells  The row's `td`s.
 */
export function VirtualTable<T>({
  label,
  columns,
  heads,
  rows,
  keyOf,
  renderCells,
}: {
  label: string;
  columns: string;
  heads: readonly { label: string; is_number?: boolean }[];
  rows: readonly T[];
  keyOf(row: T): string | number;
  renderCells(row: T): ReactNode;
}) {
  const scroll = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const wanted = useRef<number | null>(null);
  const findRow = (index: number) =>
    scroll.current?.querySelector<HTMLElement>(`[data-index="${index}"] :is(a, button, [tabindex])`);
  // The row that the keyboard went to may have to be drawn first.
  useEffect(() => {
    if (wanted.current === null) return;
    const found = findRow(wanted.current);
    if (!found) return;
    wanted.current = null;
    found.focus({ preventScroll: true });
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
    const at = Number(row?.dataset.index ?? Number.NaN);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to === undefined || Number.isNaN(at)) return;
    event.preventDefault();
    const index = Math.max(0, Math.min(rows.length - 1, to));
    wanted.current = index;
    virtual.scrollToIndex(index);
    findRow(index)?.focus({ preventScroll: true });
  };
  const grid = { gridTemplateColumns: columns };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to what is inside.
    <div ref={scroll} className={classes.scroll} onKeyDown={onKeyDown}>
      <table className={classes.table} aria-label={label} aria-rowcount={rows.length + 1}>
        <thead>
          <tr style={grid}>
            {heads.map((head) => (
              <th key={head.label} scope="col" data-number={head.is_number || undefined}>
                {head.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              <tr
                key={keyOf(row)}
                data-index={index}
                aria-rowindex={index + 2}
                style={{ ...grid, transform: `translateY(${start}px)` }}
              >
                {renderCells(row)}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
