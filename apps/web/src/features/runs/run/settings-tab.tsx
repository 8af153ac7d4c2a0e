import { Button, CopyButton } from "@mantine/core";
import type { RunDetail } from "@sightline/core/runs";
import { formatRatio } from "@sightline/core/schedules";
import classes from "./table.module.css";

/** What the run was asked to do, and where it does it. */
export function SettingsTab({ detail }: { detail: RunDetail | null }) {
  if (detail === null) return <p className={classes.hint}>Reading …</p>;
  const { spec, directory } = detail;
  const rows: [string, string][] = [
    ["engine", spec.engine],
    ["preset", spec.preset],
    ["seed", String(spec.seed)],
    ...Object.entries(spec.settings).map(([name, value]): [string, string] => [name, String(value)]),
  ];
  return (
    <div className={classes.scroll}>
      {directory !== null && (
        <>
          <h3 className={classes.heading}>Directory on the host</h3>
          <p className={classes.hint}>
            <code className={classes.code}>{directory}</code>{" "}
            <CopyButton value={directory}>
              {({ copied, copy }) => (
                <Button size="compact-xs" variant="default" onClick={copy}>
                  {copied ? "Copied" : "Copy"}
                </Button>
              )}
            </CopyButton>
          </p>
        </>
      )}
      <h3 className={classes.heading}>Stages</h3>
      <table className={classes.table}>
        <thead>
          <tr>
            <th>Stage</th>
            <th>format : accuracy : consistency</th>
            <th>Epochs</th>
          </tr>
        </thead>
        <tbody>
          {spec.stages.map((stage) => (
            <tr key={stage.name}>
              <td>{stage.name}</td>
              <td className={classes.number}>{formatRatio(stage.weights)}</td>
              <td className={classes.number}>
                {stage.from_epoch} to {stage.to_epoch}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <h3 className={classes.heading}>Settings</h3>
      <table className={classes.table}>
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <td className={classes.code}>{name}</td>
              <td className={classes.words}>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
