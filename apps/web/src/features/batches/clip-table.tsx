import type { BatchClip } from "@sightline/core/batches";
import { formatAgo, formatClock } from "@sightline/core/format";
import { Status } from "@sightline/ui/status";
import { Link } from "@tanstack/react-router";
import classes from "./clip-table.module.css";
import { CLIP_STATES } from "./state.ts";
import { VirtualTable } from "./virtual-table.tsx";

/** The clips of a batch; each that is in the library leads to its page. */
export function ClipTable({ clips, is_working }: { clips: readonly BatchClip[]; is_working: boolean }) {
  return (
    <VirtualTable
      label="Clips of the batch"
      columns="132px minmax(180px, 1.2fr) 96px 74px minmax(200px, 2fr) 104px"
      heads={[
        { label: "State" },
        { label: "Clip" },
        { label: "Key-frames", is_number: true },
        { label: "Length", is_number: true },
        { label: "What happened" },
        { label: "When", is_number: true },
      ]}
      rows={clips}
      keyOf={({ place }) => place}
      renderCells={(clip) => <Cells clip={clip} is_working={is_working} />}
    />
  );
}

function Cells({ clip, is_working }: { clip: BatchClip; is_working: boolean }) {
  const { name, clip_id, state, problem, advice, kept, sampled, duration_secs, ended_secs } = clip;
  const { tone, label } = CLIP_STATES[state];
  return (
    <>
      <td data-testid="clip-state">
        {/* A clip that was under way when nobody works any more is taken up first. */}
        {state === "working" && !is_working ? (
          <Status {...CLIP_STATES.waiting} />
        ) : (
          <Status tone={tone} label={label} />
        )}
      </td>
      <td title={name}>
        {clip_id === null ? (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys go over every row.
          <span className={classes.name} tabIndex={0}>
            {name}
          </span>
        ) : (
          <Link className={classes.name} to="/clips/$clipId" params={{ clipId: clip_id }} search={{}}>
            {name}
          </Link>
        )}
      </td>
      <td data-number className={classes.number}>
        {kept === null ? (
          "–"
        ) : (
          <>
            {kept} <span className={classes.of}>of {sampled}</span>
          </>
        )}
      </td>
      <td data-number className={classes.number}>
        {formatClock(duration_secs)}
      </td>
      <td className={classes.words} title={problem === null ? undefined : `${problem} ${advice ?? ""}`}>
        {problem !== null && (
          <>
            <span className={classes.problem}>{problem}</span>
            <span className={classes.advice}>{advice}</span>
          </>
        )}
      </td>
      <td data-number className={classes.number}>
        {ended_secs !== null && state !== "there" && formatAgo(ended_secs, Date.now() / 1000)}
      </td>
    </>
  );
}
