import classes from "./top-bar.module.css";

export function TopBar() {
  return <header className={classes.bar} />;
}
