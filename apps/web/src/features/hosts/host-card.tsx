import { formatBytes, formatLasting } from "@sightline/core/format";
import type { HostSummary } from "@sightline/core/hosts";
import { Status } from "@sightline/ui/status";
import { IconServer2 } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { HostMenu } from "./host-menu.tsx";
import { HostRuns } from "./host-runs.tsx";
import classes from "./hosts.module.css";
import { HostTrainer } from "./trainer.tsx";
import { UsageTiles } from "./usage-tiles.tsx";
import { useUsage } from "./use-hosts.ts";
import { describePlace, HOST_STATES } from "./words.ts";

/** One host: its state, how busy it is, and what runs on it. */
export function HostCard({ host }: { host: HostSummary }) {
  const { facts, problem } = host;
  const state = HOST_STATES[host.state];
  const samples = useUsage(host.host_id);
  return (
    <section className={classes.card} aria-label={host.name} data-host-state={host.state}>
      <header className={classes.head}>
        <IconServer2 size={18} stroke={1.5} aria-hidden />
        <div className={classes.who}>
          <h2 className={classes.name}>
            <Link to="/hosts/$hostId" params={{ hostId: host.host_id }}>
              {host.name}
            </Link>
          </h2>
          <div className={classes.kind}>{describePlace(host)}</div>
        </div>
        <HostState host={host} />
        <HostMenu host={host} />
      </header>
      {problem !== null && (
        <p className={classes.problem} data-tone={state.tone}>
          {problem}
        </p>
      )}
      {(host.state === "ready" || samples.length > 0) && (
        <UsageTiles samples={samples} isStale={host.state !== "ready"} />
      )}
      {facts !== null && (
        <div className={classes.disk}>
          <span>Disk</span>
          <DiskBar free={facts.disk_free_bytes} total={facts.disk_bytes} />
        </div>
      )}
      <HostRuns host_id={host.host_id} />
      <HostTrainer host={host} />
    </section>
  );
}

/** The state's word, and since when. */
export function HostState({ host }: { host: HostSummary }) {
  const { tone, label, meaning } = HOST_STATES[host.state];
  return (
    <div className={classes.state} data-part="state" title={meaning}>
      <Status tone={tone} label={label} />
      <span className={classes.since} title={new Date(host.since_secs * 1000).toLocaleString()}>
        {host.state === "unreachable"
          ? `since ${new Date(host.since_secs * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`
          : describeSince(Date.now() / 1000 - host.since_secs)}
      </span>
    </div>
  );
}

function describeSince(secs: number): string {
  return secs < 60 ? "since just now" : `for ${formatLasting(secs)}`;
}

const LOW_SHARE = 0.05;

/** How full the disk is that holds the runs. */
export function DiskBar({ free, total }: { free: number; total: number }) {
  const used = total === 0 ? 0 : 1 - free / total;
  return (
    <>
      <span
        className={classes.meter}
        aria-hidden
        data-low={(total > 0 && free / total < LOW_SHARE) || undefined}
      >
        <i style={{ width: `${100 * used}%` }} />
      </span>
      <span>
        {formatBytes(free)} free of {formatBytes(total)}
      </span>
    </>
  );
}
