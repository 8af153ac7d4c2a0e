import classes from "./letter.module.css";

/** The sign of a side: A is filled, B is hollow. */
export function Letter({ side }: { side: "a" | "b" }) {
  return (
    <span className={classes.letter} data-side={side}>
      {side.toUpperCase()}
    </span>
  );
}
