import { UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import type { Order, Sort } from "./arrange.ts";
import classes from "./list-head.module.css";

/** The heads of the list's columns; those that sort are buttons. */
export function ListHead({
  sort,
  order,
  onSort,
}: {
  sort: Sort;
  order: Order;
  onSort: (sort: Sort) => void;
}) {
  const Arrow = order === "asc" ? IconArrowUp : IconArrowDown;
  const button = (key: Sort, label: string, isNumber = false) => (
    <UnstyledButton
      className={classes.sort}
      data-number={isNumber || undefined}
      data-active={sort === key || undefined}
      onClick={() => onSort(key)}
      aria-label={`Sort by ${label.toLowerCase()}`}
    >
      {label}
      {sort === key && <Arrow size={12} stroke={2} aria-hidden />}
    </UnstyledButton>
  );
  return (
    <div className={classes.head}>
      <span />
      <span />
      {button("name", "Name")}
      <span className={classes.state}>State</span>
      <span>Codec</span>
      <span>Picture</span>
      {button("duration", "Length", true)}
      <span data-number>Frames</span>
      {button("size", "Size", true)}
      {button("added", "Added", true)}
      <span />
    </div>
  );
}
