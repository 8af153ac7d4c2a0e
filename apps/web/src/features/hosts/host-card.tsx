import { formatBytes, formatLasting, formatNumberOf } from "@sightline/core/format";
import type { HostSummary } from "@sightline/core/runs";
import { Status, type Tone } from "@sightline/ui/status";
import { IconServer2 } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import classes from "./hosts.module.css";
import { Trainer } from "./trainer.tsx";

const STATES: Record<HostSummary["state"], { tone: Tone; label: string }> = {
  ready: { tone: "done", label: "Ready" },
  connecting: { tone: "busy", label: "Connecting" },
  unreachable: { tone: "waiting", label: "Unreachable" },
  unusable: { tone: "wrong", label: "Takes no runs" },
  unconfirmed: { tone: "waiting", label: "Key not confirmed" },
  refused: { tone: "wrong", label: "Refused" },
};

const EXECUTORS: Record<HostSummary["executor"], string> = {
  local: "Where Sightline runs",
  ssh: "Reached by SSH",
  slurm: "Slurm cluster",
  ray: "Ray cluster",
};

/** One host: its state, what it has, and what runs on it. */
export function HostCard({ host }: { host: HostSummary }) {
  const { facts, problem } = host;
  const state = STATES[host.state];
  return (
    <section className={classes.card} aria-label={host.name}>
      <header className={classes.head}>
        <IconServer2 size={18} stroke={1.5} aria-hidden />
        <div>
          <h2 className={classes.name}>{host.name}</h2>
          <div className={classes.kind}>
            {EXECUTORS[host.executor]}
            {facts !== null && ` · ${facts.hostname}`}
          </div>
        </div>
        <div className={classes.state}>
          <Status tone={state.tone} label={state.label} />
          <span className={classes.since}>for {formatLasting(Date.now() / 1000 - host.since_secs)}</span>
        </div>
      </header>
      {problem !== null && <p className={classes.problem}>{problem}</p>}
      {facts !== null && (
        <dl className={classes.facts}>
          <Fact label="Python">
            <span title={facts.python_path}>{facts.python}</span>
          </Fact>
          <Fact label="Processors">{formatNumberOf(facts.cpus, "core")}</Fact>
          <Fact label="Memory">{formatBytes(facts.memory_bytes)}</Fact>
          <Fact label="Disk free">{formatBytes(facts.disk_free_bytes)}</Fact>
          <Fact label="GPUs">
            {facts.gpus.length === 0
              ? "none"
              : facts.gpus
                  .map(({ name, memory_bytes }) => `${name} (${formatBytes(memory_bytes)})`)
                  .join(", ")}
          </Fact>
          <Fact label="Runs under way">
            {host.active_runs === 0 ? (
              "none"
            ) : (
              <Link to="/runs">{formatNumberOf(host.active_runs, "run")}</Link>
            )}
          </Fact>
        </dl>
      )}
      {host.executor === "local" && <Trainer />}
    </section>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
