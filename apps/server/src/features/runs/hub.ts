/** Tells followers that something new can be read. It carries no rows: the database is the log. */
export type RunHub = {
  /** New lines of a run were committed. */
  lines(run_id: string): void;
  /** A run's row changed: state, name, trash. */
  changed(run_id: string): void;
  /**
   * Listens until the returned function is called.
   *
   * @param run_ids  null for all runs.
   */
  listen(
    run_ids: ReadonlySet<string> | null,
    on: { lines(run_id: string): void; changed(run_id: string): void },
  ): () => void;
};

type Listener = {
  run_ids: ReadonlySet<string> | null;
  lines(run_id: string): void;
  changed(run_id: string): void;
};

export function createRunHub(): RunHub {
  const listeners = new Set<Listener>();
  return {
    lines(run_id) {
      for (const listener of listeners)
        if (listener.run_ids === null || listener.run_ids.has(run_id)) listener.lines(run_id);
    },
    changed(run_id) {
      for (const listener of listeners)
        if (listener.run_ids === null || listener.run_ids.has(run_id)) listener.changed(run_id);
    },
    listen(run_ids, on) {
      const listener: Listener = { run_ids, ...on };
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/** Resolves after `ms`, or at once when `signal` aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}

/** A flag that one waiter at a time can wait for. */
export type Flag = {
  raise(): void;
  lower(): void;
  /** Resolves when the flag is up, `signal` aborts, or `ms` are over. */
  wait(signal: AbortSignal, ms?: number): Promise<void>;
};

export function createFlag(): Flag {
  let raised = false;
  let waiting: (() => void) | null = null;
  return {
    raise() {
      raised = true;
      waiting?.();
    },
    lower() {
      raised = false;
    },
    wait(signal, ms) {
      if (raised || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const done = () => {
          waiting = null;
          clearTimeout(timer);
          signal.removeEventListener("abort", done);
          resolve();
        };
        const timer = ms === undefined ? undefined : setTimeout(done, ms);
        waiting = done;
        signal.addEventListener("abort", done);
      });
    },
  };
}
