import { ActionIcon } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { places } from "./places.ts";
import classes from "./rail.module.css";

/** The places of the workbench. Narrow windows show icons only; wide ones as the person likes. */
export function Rail() {
  const [isNarrow, setNarrow] = useLocalStorage({
    key: "sightline-rail-narrow",
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const fold = isNarrow ? "Widen the rail" : "Narrow the rail";
  return (
    <nav className={classes.rail} data-narrow={isNarrow || undefined} aria-label="Places">
      <Link to="/library" className={classes.brand} aria-label="Sightline">
        <img src="/favicon.svg" alt="" width={20} height={20} />
        <span className={classes.label}>Sightline</span>
      </Link>
      {places.map(({ to, label, Icon }) => (
        <Link key={to} to={to} className={classes.place} title={label}>
          <Icon size={17} stroke={1.6} aria-hidden />
          <span className={classes.label}>{label}</span>
        </Link>
      ))}
      <ActionIcon
        className={classes.fold}
        aria-label={fold}
        title={fold}
        onClick={() => setNarrow(!isNarrow)}
      >
        {isNarrow ? (
          <IconLayoutSidebarLeftExpand size={16} stroke={1.5} />
        ) : (
          <IconLayoutSidebarLeftCollapse size={16} stroke={1.5} />
        )}
      </ActionIcon>
    </nav>
  );
}
