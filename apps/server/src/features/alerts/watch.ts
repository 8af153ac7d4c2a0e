import {
  type AlertChange,
  type AlertState,
  foldAlert,
  foldEnd,
  foldSilence,
  isInScope,
  type RowPoint,
  readsTallies,
  type StandingRule,
  startAlert,
} from "@sightline/core/alerts";
import { isEndState, type RunSummary } from "@sightline/core/runs";
import type { Logger } from "pino";
import type { Runs } from "../runs/service.ts";
import type { createPoints, RunPoints } from "./points.ts";
import type { AlertRow, AlertStore } from "./store.ts";

const LOOK_MS = 1000;
/** A run whose alerts could not be written is looked at again after so long. */
const AGAIN_MS = 5000;
/** A run that is asked about so often settles in between. */
const GATHER_MS = 200;
const HEARD_STATES: readonly RunSummary["state"][] = ["running", "stalled", "orphaned"];

type Watched = { entry_id: number; state: AlertState; rows_taken: number };
type WatchedRun = { rules: Map<string, Watched>; heard_ms: number; state: RunSummary["state"] | null };

/**
 * Looks at runs as they go on, through the same fold that a back-test uses, and writes what fires and what ends.
 *
 * What is in the database decides what is new: after a restart the runs are folded again from their first row, and an
 * episode that is written is not written again.
 */
export function createWatch(parts: {
  store: AlertStore;
  runs: Pick<Runs, "list" | "listen" | "rowsAfter">;
  points: ReturnType<typeof createPoints>;
  log: Logger;
  /** Called within the transaction that writes an alert, or its end. */
  onAlert(kind: AlertChange["kind"], alert: AlertRow, rule: StandingRule, run: RunSummary): void;
  /** Called when the transaction is on the disk and alerts have changed. */
  onChange(): void;
}) {
  const { store, runs, points, log } = parts;
  const watched = new Map<string, WatchedRun>();
  const dirty = new Set<string>();
  /** When to look again at runs whose alerts could not be written. */
  const unwritten = new Map<string, number>();
  let working: Promise<void> | null = null;
  let is_closed = false;
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let stop = () => {};
  let clock: ReturnType<typeof setInterval> | undefined;

  const rulesFor = (run: RunSummary) => store.rules().filter(({ rule }) => isInScope(rule.scope, run));

  /** The newest sign of life of an alert that goes on: a stall that was told of is not told of again. */
  const resumeStall = (rule: StandingRule, run_id: string, state: AlertState): AlertState => {
    if (rule.rule.kind !== "stalled" || state.alive === null || state.open !== null) return state;
    const is_told = store
      .open(rule.rule_id, run_id)
      .some(({ episode_id }) => episode_id === `row ${state.alive?.id}`);
    return is_told ? foldSilence(rule.rule, state, Number.POSITIVE_INFINITY).state : state;
  };

  /** Writes what changed, and what the database holds as going on and is not. */
  const write = (
    run: RunSummary,
    rule: StandingRule,
    at: Watched,
    changes: readonly AlertChange[],
    read: RunPoints,
    is_first: boolean,
  ) => {
    const { rule_id, entry_id, made_secs } = rule;
    const { run_id } = run;
    const is_older = is_first && run.created_secs < made_secs;
    const had_open = store.open(rule_id, run_id).length > 0;
    const over = new Set(
      changes.flatMap(({ kind, episode }) => (kind === "ended" ? [episode.episode_id] : [])),
    );
    for (const { kind, episode } of changes) {
      if (kind === "fired") {
        // A run that somebody else started may come with a long past.
        const is_before = is_older || (run.watched && episode.fired_secs < run.created_secs);
        const is_past = is_before && over.has(episode.episode_id);
        const alert_id = store.addAlert({ rule_id, entry_id, run_id, is_past }, episode);
        const alert = alert_id === null ? null : store.getAlert(alert_id);
        // Whoever was told of a rule's alert need not be told again because the rule has changed.
        if (alert && !is_past && !had_open) parts.onAlert("fired", alert, rule, run);
        continue;
      }
      const alert = store.endAlert(rule_id, run_id, episode);
      if (alert && !alert.is_past) parts.onAlert("ended", alert, rule, run);
    }
    const open_id = at.state.open?.episode_id;
    for (const alert of store.open(rule_id, run_id)) {
      if (alert.episode_id === open_id) continue;
      const ended_secs = read.rows.at(-1)?.time_secs ?? alert.fired_secs;
      store.endAlert(rule_id, run_id, {
        episode_id: alert.episode_id,
        until_step: alert.from_step,
        ended_secs,
      });
    }
    store.setProgress({ rule_id, run_id, entry_id, upto_id: read.upto_id });
  };

  const fold = (rule: StandingRule, at: Watched, read: RunPoints): AlertChange[] => {
    const changes: AlertChange[] = [];
    const is_of_tallies = readsTallies(rule.rule.kind);
    const fresh = is_of_tallies ? read.tallies : read.rows.slice(at.rows_taken);
    for (const point of fresh) {
      const next = foldAlert(rule.rule, at.state, point);
      at.state = next.state;
      changes.push(...next.changes);
    }
    at.rows_taken = read.rows.length;
    return changes;
  };

  const look = async (run: RunSummary): Promise<void> => {
    const rules = rulesFor(run);
    if (rules.length === 0) return;
    const read = await points.read(run.run_id);
    if (is_closed) return;
    const known = watched.get(run.run_id) ?? { rules: new Map<string, Watched>(), heard_ms: 0, state: null };
    watched.set(run.run_id, known);
    const is_over = isEndState(run.state);
    const looked = rules.map((rule) => {
      const before = known.rules.get(rule.rule_id);
      const is_new = before?.entry_id !== rule.entry_id;
      const at: Watched = is_new
        ? { entry_id: rule.entry_id, state: startAlert, rows_taken: 0 }
        : { ...before };
      const changes = fold(rule, at, read);
      if (is_new) at.state = resumeStall(rule, run.run_id, at.state);
      if (is_over) {
        const ended = foldEnd(at.state, newestSecs(read.rows));
        at.state = ended.state;
        changes.push(...ended.changes);
      }
      return { rule, at, changes, is_new };
    });
    // Rows come many times a second; what they change is written, and where a run was looked at to its end.
    const changed = looked.filter(({ changes, is_new }) => changes.length > 0 || is_new || is_over);
    if (changed.length > 0)
      store.durably(() => {
        for (const { rule, at, changes } of changed) {
          const is_first = store.getProgress(rule.rule_id, run.run_id)?.entry_id !== rule.entry_id;
          write(run, rule, at, changes, read, is_first);
        }
      });
    // Only now: what could not be written is found again at the next look.
    for (const { rule, at } of looked) known.rules.set(rule.rule_id, at);
    if (is_over) watched.delete(run.run_id);
    if (changed.length > 0) parts.onChange();
  };

  /** Runs that rules may still have something to say of: those that go on, and those whose end was not seen. */
  const findUnseen = (): string[] => {
    const rules = store.rules();
    const upto = new Map(store.progress().map((row) => [`${row.rule_id} ${row.run_id}`, row]));
    return runs
      .list({ trash: false })
      .filter((run) => !run.recorded)
      .filter((run) => {
        if (!isEndState(run.state)) return true;
        return rules.some(({ rule_id, rule, made_secs }) => {
          if (!isInScope(rule.scope, run)) return false;
          const row = upto.get(`${rule_id} ${run.run_id}`);
          if (row === undefined) return run.created_secs > made_secs;
          return (
            runs.rowsAfter(run.run_id, row.upto_id, 1).rows.length > 0 ||
            store.open(rule_id, run.run_id).length > 0
          );
        });
      })
      .map(({ run_id }) => run_id);
  };

  const work = async () => {
    while (dirty.size > 0 && !is_closed) {
      const wanted = new Set(dirty);
      dirty.clear();
      const found = runs.list({ trash: false }).filter((run) => wanted.has(run.run_id) && !run.recorded);
      for (const run of found) {
        if (is_closed) return;
        await look(run).catch((error: unknown) => {
          unwritten.set(run.run_id, performance.now() + AGAIN_MS);
          log.error({ err: error, run_id: run.run_id }, "looking for alerts in a run");
        });
      }
    }
  };

  const wake = (run_ids: readonly string[]) => {
    for (const run_id of run_ids) dirty.add(run_id);
    if (gathering !== undefined || is_closed) return;
    gathering = setTimeout(() => {
      gathering = undefined;
      working = (working ?? Promise.resolve()).then(work);
    }, GATHER_MS);
  };

  /** Asks rules for stalled runs: silence is counted from what arrived here, so that a host's clock may be wrong. */
  const listen = () => {
    for (const [run_id, at_ms] of unwritten) {
      if (at_ms > performance.now()) continue;
      unwritten.delete(run_id);
      wake([run_id]);
    }
    if (watched.size === 0) return;
    const stalls = store.rules().filter(({ rule }) => rule.kind === "stalled");
    if (stalls.length === 0) return;
    for (const run of runs.list({ trash: false })) {
      const known = watched.get(run.run_id);
      if (!known) continue;
      const is_heard = HEARD_STATES.includes(run.state);
      // A link that comes back brings what was written meanwhile; that was no silence.
      if (known.state === null || !is_heard || !HEARD_STATES.includes(known.state))
        known.heard_ms = performance.now();
      known.state = run.state;
      if (!is_heard) continue;
      const secs = (performance.now() - known.heard_ms) / 1000;
      for (const rule of stalls) {
        const at = known.rules.get(rule.rule_id);
        if (!at?.state.alive) continue;
        const next = foldSilence(rule.rule, at.state, at.state.alive.time_secs + secs);
        if (next.changes.length === 0 || unwritten.has(run.run_id)) continue;
        void points
          .read(run.run_id)
          .then((read) => {
            // A row that came meanwhile is a sign of life.
            if (known.rules.get(rule.rule_id) !== at || at.state.open !== null) return;
            store.durably(() => write(run, rule, { ...at, state: next.state }, next.changes, read, false));
            at.state = next.state;
            parts.onChange();
          })
          .catch((error: unknown) => {
            unwritten.set(run.run_id, performance.now() + AGAIN_MS);
            log.error({ err: error, run_id: run.run_id }, "writing an alert of a silent run");
          });
      }
    }
  };

  return {
    start() {
      stop = runs.listen({
        lines(run_id) {
          const known = watched.get(run_id);
          if (known) known.heard_ms = performance.now();
          wake([run_id]);
        },
        changed: (run_id) => wake(run_id === "" ? [] : [run_id]),
      });
      wake(findUnseen());
      clock = setInterval(listen, LOOK_MS);
      clock.unref();
    },
    /** A rule was made or changed. */
    lookAgain() {
      wake(findUnseen().filter((run_id) => watched.has(run_id) || isLive(run_id)));
    },
    async close() {
      is_closed = true;
      stop();
      clearInterval(clock);
      clearTimeout(gathering);
      await working;
    },
  };

  function isLive(run_id: string): boolean {
    const run = runs.list({ trash: false }).find((one) => one.run_id === run_id);
    return run !== undefined && !isEndState(run.state);
  }
}

function newestSecs(rows: readonly RowPoint[]): number {
  return rows.at(-1)?.time_secs ?? Date.now() / 1000;
}
