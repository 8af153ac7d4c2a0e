import { Skeleton } from "@mantine/core";
import { formatBytes } from "@sightline/core/format";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../../app/clients.ts";
import classes from "./settings.module.css";

const LABELS: Record<string, string> = {
  clips: "Clips and their pictures",
  uploads: "Unfinished uploads",
  runs: "Runs",
  database: "Database and its backups",
  other: "Other",
};

/** What the data folder takes, by what it is for, and what the disk has left. */
export function StorageUse() {
  const storage = useQuery({ ...trpc.about.storage.queryOptions(), staleTime: 0 });
  if (storage.isPending) return <Skeleton height={120} />;
  if (storage.isError) return <p className={classes.problem}>{storage.error.message}</p>;
  const { parts, disk_free_bytes, disk_total_bytes } = storage.data;
  const used = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const others = Math.max(0, disk_total_bytes - disk_free_bytes - used);
  const percent = (bytes: number) => `${(100 * bytes) / Math.max(1, disk_total_bytes)}%`;
  return (
    <>
      <div
        className={classes.disk}
        role="img"
        aria-label={`Of ${formatBytes(disk_total_bytes)}, Sightline takes ${formatBytes(used)}; ${formatBytes(disk_free_bytes)} are free.`}
      >
        <span className={classes.ours} style={{ width: percent(used) }} />
        <span className={classes.others} style={{ width: percent(others) }} />
      </div>
      <dl className={classes.pairs}>
        {parts
          .filter(({ bytes }) => bytes > 0)
          .map(({ name, bytes }) => (
            <div key={name}>
              <dt>{LABELS[name] ?? name}</dt>
              <dd>{formatBytes(bytes)}</dd>
            </div>
          ))}
        <div className={classes.sum}>
          <dt>Together</dt>
          <dd>{formatBytes(used)}</dd>
        </div>
        <div>
          <dt>Free on the disk</dt>
          <dd>
            {formatBytes(disk_free_bytes)} of {formatBytes(disk_total_bytes)}
          </dd>
        </div>
      </dl>
    </>
  );
}
