import { formatBytes } from "@sightline/core/format";
import type { RunDetail, RunSeries } from "@sightline/core/runs";
import { StatusMark } from "@sightline/ui/status";
import { countProblems, getTroubles } from "./count-problems.ts";
import { RunAlerts } from "./run-alerts.tsx";
import classes from "./table.module.css";

/** Warnings and errors of the trainer, lines that could not be read, and what was noticed while reading. */
export function ProblemsTab({ detail, series }: { detail: RunDetail | null; series: RunSeries }) {
  const troubles = getTroubles(series);
  const { count, lines } = detail?.quarantined ?? { count: 0, lines: [] };
  const notes = detail?.notes ?? [];
  if (countProblems(detail, series) === 0)
    return (
      <div className={classes.scroll}>
        <p className={classes.hint}>Nothing: no warning, no error, and every line was read.</p>
        <RunAlerts run_id={series.run_id} />
      </div>
    );
  return (
    <div className={classes.scroll}>
      <RunAlerts run_id={series.run_id} />
      {troubles.length > 0 && (
        <table className={classes.table}>
          <thead>
            <tr>
              <th>Step</th>
              <th>Attempt</th>
              <th>From the trainer</th>
              <th>What to do</th>
            </tr>
          </thead>
          <tbody>
            {[...troubles].reverse().map((mark) => (
              <tr key={mark.id}>
                <td className={classes.number}>{mark.step}</td>
                <td className={classes.number}>{mark.attempt}</td>
                <td className={classes.words}>
                  <StatusMark tone={mark.kind === "error" ? "wrong" : "part"} /> {mark.message}
                  {mark.detail !== "" && <div className={classes.code}>{mark.detail}</div>}
                </td>
                <td className={classes.words}>{mark.hint}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {notes.length > 0 && (
        <>
          <h3 className={classes.heading}>Noticed while reading</h3>
          <table className={classes.table}>
            <tbody>
              {notes.map((note) => (
                <tr key={`${note.attempt}-${note.code}`}>
                  <td className={classes.number}>attempt {note.attempt}</td>
                  <td className={classes.words}>{note.message}</td>
                  <td className={classes.number}>× {note.count}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
      {count > 0 && (
        <>
          <h3 className={classes.heading}>
            {count} {count === 1 ? "line" : "lines"} could not be read and {count === 1 ? "is" : "are"} kept
            as they stood
          </h3>
          <table className={classes.table}>
            <tbody>
              {lines.map((line) => (
                <tr key={`${line.attempt}-${line.file}-${line.byte_offset}`}>
                  <td>{line.file}</td>
                  <td className={classes.number}>
                    byte {line.byte_offset}, {formatBytes(line.bytes)}
                  </td>
                  <td className={classes.words}>
                    {line.reason}
                    <div className={classes.code}>{line.excerpt}</div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </div>
  );
}
