/** What runs in a decoder process: one task at a time, until the server that started it is gone. */
import { endWithParent } from "./orphan-guard.ts";
import { MediaProblem } from "./problem.ts";
import { type TaskAnswer, type TaskCall, tasks } from "./tasks.ts";

const PROGRESS_MS = 200;

const answer = (message: TaskAnswer) => process.send?.(message);

endWithParent();
answer({ type: "ready" });
// Ctrl-C in a terminal reaches this process too; the one that started it says when to end.
process.on("SIGINT", () => undefined);
process.on("disconnect", () => process.exit(0));
process.on("message", (call: TaskCall) => {
  let reported = 0;
  const report = (done: number) => {
    if (performance.now() - reported < PROGRESS_MS) return;
    reported = performance.now();
    answer({ id: call.id, type: "progress", done });
  };
  const run = tasks[call.name] as (args: unknown, report: (done: number) => void) => Promise<unknown>;
  run(call.args, report).then(
    (result) => answer({ id: call.id, type: "done", result }),
    (error: unknown) =>
      answer({
        id: call.id,
        type: "failed",
        message: error instanceof Error ? error.message : String(error),
        is_problem: error instanceof MediaProblem,
      }),
  );
});
