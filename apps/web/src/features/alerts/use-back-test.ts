import type { AlertCause, BackTest } from "@sightline/core/alerts";
import { useEffect, useState } from "react";
import { client } from "../../app/clients.ts";

const RUNS_AT_ONCE = 4;

export type RunningTest = {
  done: readonly BackTest[];
  isDone: boolean;
  problem: string | null;
  cancel: () => void;
  again: () => void;
};

type State = { of: string; done: readonly BackTest[]; isDone: boolean; problem: string | null };

/**
 * Tests a cause on runs, a few at a time; another cause, or leaving the page, stops it.
 *
 * @param text  The cause, as JSON.
 */
export function useBackTest(text: string, run_ids: readonly string[], isWanted: boolean): RunningTest {
  const [round, setRound] = useState(0);
  const of = `${round} ${text} ${run_ids.join()}`;
  const [state, setState] = useState<State>({ of, done: [], isDone: false, problem: null });
  const [stop, setStop] = useState<AbortController | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all that is tested
  useEffect(() => {
    if (!isWanted || run_ids.length === 0) return;
    const stopping = new AbortController();
    setStop(stopping);
    void (async () => {
      const done: BackTest[] = [];
      const say = (more: Partial<State>) => {
        if (!stopping.signal.aborted)
          setState({ of, done: [...done], isDone: false, problem: null, ...more });
      };
      try {
        const cause = JSON.parse(text) as AlertCause;
        for (let at = 0; at < run_ids.length; at += RUNS_AT_ONCE) {
          const part = run_ids.slice(at, at + RUNS_AT_ONCE);
          done.push(
            ...(await client.alerts.backTest.query({ cause, run_ids: part }, { signal: stopping.signal })),
          );
          say({});
        }
        say({ isDone: true });
      } catch (error) {
        say({ problem: error instanceof Error ? error.message : String(error) });
      }
    })();
    return () => stopping.abort();
  }, [of, isWanted]);
  const isNow = state.of === of;
  return {
    // What was found for the numbers before stays until the first of the new ones is there.
    done: isWanted ? state.done : [],
    isDone: isNow && state.isDone,
    problem: isNow ? state.problem : null,
    cancel() {
      setState({ ...state, of, problem: "Stopped: what is below was looked at." });
      stop?.abort();
    },
    again: () => setRound(round + 1),
  };
}
