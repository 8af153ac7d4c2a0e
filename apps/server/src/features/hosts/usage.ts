import {
  addUsage,
  type HostUsage,
  USAGE_EVERY_SECS,
  USAGE_KEPT_SECS,
  type UsageBatch,
} from "@sightline/core/hosts";
import type { Logger } from "pino";
import {
  type Executor,
  HostRefusedError,
  UnreachableError,
  type UsageReading,
} from "../../executors/executor.ts";
import { createBell, follow } from "../../live/follow.ts";

const ANSWER_MS = 15_000;

/** How busy the hosts are: measured while somebody looks or a run is under way, kept for an hour, never stored. */
export type UsageWatch = {
  /** What is known of each host at once, and each new sample as it comes. */
  follow(signal: AbortSignal): AsyncGenerator<UsageBatch[]>;
  close(): Promise<void>;
};

type Watched = {
  samples: HostUsage[];
  /** Processor ticks at the last reading, of which the next one takes the difference. */
  ticks: UsageReading["cpu"];
  asking: Promise<void> | null;
};

/**
 * @param parts.ids  Hosts that are there now.
 * @param parts.active  Hosts on which runs are under way.
 * @param parts.onAnswer  Told of every sample.
 * @param parts.onSilence  Told when a host did not answer; the message says why.
 * @param parts.every_secs  Another pace, for tests.
 */
export function createUsageWatch(parts: {
  ids(): string[];
  executor(host_id: string): Executor;
  active(): ReadonlySet<string>;
  onAnswer(host_id: string, usage: HostUsage): void;
  onSilence(host_id: string, message: string): void;
  log: Logger;
  every_secs?: number;
}): UsageWatch {
  const every_ms = (parts.every_secs ?? USAGE_EVERY_SECS) * 1000;
  const bell = createBell();
  const closing = new AbortController();
  const watched = new Map<string, Watched>();
  let lookers = 0;

  const of = (host_id: string): Watched => {
    const known = watched.get(host_id) ?? { samples: [], ticks: null, asking: null };
    watched.set(host_id, known);
    return known;
  };

  const measure = async (host_id: string) => {
    const host = of(host_id);
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(ANSWER_MS)]);
      const reading = await parts.executor(host_id).usage(signal);
      const { cpu, ...rest } = reading;
      const usage = { ...rest, time_secs: Date.now() / 1000, cpu_share: getShare(host.ticks, cpu) };
      host.ticks = cpu;
      host.samples = addUsage(host.samples, [usage]);
      parts.onAnswer(host_id, usage);
      bell.ring();
    } catch (error) {
      if (closing.signal.aborted) return;
      host.ticks = null;
      if (error instanceof UnreachableError) parts.onSilence(host_id, error.message);
      // An older slctl that does not know the question still answers: it is no silence.
      else if (!(error instanceof HostRefusedError))
        parts.log.error({ err: error, host_id }, "measuring a host");
    }
  };

  const tick = () => {
    const active = lookers === 0 ? parts.active() : null;
    const ids = parts.ids();
    for (const host_id of watched.keys()) if (!ids.includes(host_id)) watched.delete(host_id);
    for (const host_id of ids) {
      const host = of(host_id);
      if (host.asking !== null || (active !== null && !active.has(host_id))) continue;
      host.asking = measure(host_id).finally(() => {
        host.asking = null;
      });
    }
  };
  const timer = setInterval(tick, every_ms);
  timer.unref();

  return {
    async *follow(signal) {
      const told = new Map<string, HostUsage>();
      lookers += 1;
      tick();
      try {
        yield* follow(bell, signal, () => {
          const batches: UsageBatch[] = [];
          for (const [host_id, { samples }] of watched) {
            const last = told.get(host_id);
            const from_secs = Date.now() / 1000 - USAGE_KEPT_SECS;
            const fresh =
              last === undefined
                ? samples.filter(({ time_secs }) => time_secs > from_secs)
                : samples.slice(samples.indexOf(last) + 1);
            const newest = fresh.at(-1);
            if (newest === undefined) continue;
            told.set(host_id, newest);
            batches.push({ host_id, samples: fresh });
          }
          return batches.length === 0 ? undefined : batches;
        });
      } finally {
        lookers -= 1;
      }
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      await Promise.all([...watched.values()].map(({ asking }) => asking));
    },
  };
}

function getShare(before: UsageReading["cpu"], now: UsageReading["cpu"]): number | null {
  if (before === null || now === null || now.all <= before.all) return null;
  return Math.min(1, Math.max(0, (now.busy - before.busy) / (now.all - before.all)));
}
