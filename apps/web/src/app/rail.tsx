import {
  IconChartLine,
  IconChecklist,
  IconGitCompare,
  IconMovie,
  IconServer2,
  IconSettings,
  IconTargetArrow,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import classes from "./rail.module.css";

/** The places of the workbench, in the order of a day's work. */
export const places = [
  { to: "/library", label: "Library", Icon: IconMovie },
  { to: "/audit", label: "Audit", Icon: IconChecklist },
  { to: "/runs", label: "Runs", Icon: IconChartLine },
  { to: "/compare", label: "Compare", Icon: IconGitCompare },
  { to: "/evaluate", label: "Evaluate", Icon: IconTargetArrow },
  { to: "/hosts", label: "Hosts", Icon: IconServer2 },
  { to: "/settings", label: "Settings", Icon: IconSettings },
] as const;

export function Rail() {
  return (
    <nav className={classes.rail} aria-label="Places">
      <Link to="/library" className={classes.brand} aria-label="Sightline">
        <img src="/favicon.svg" alt="" width={22} height={22} />
        <span className={classes.label}>Sightline</span>
      </Link>
      {places.map(({ to, label, Icon }) => (
        <Link key={to} to={to} className={classes.place} title={label}>
          <Icon size={17} stroke={1.6} aria-hidden />
          <span className={classes.label}>{label}</span>
        </Link>
      ))}
    </nav>
  );
}
