/** A decoder process that does what its arguments say: crash, hang, fail, or answer slowly. */
import { writeFileSync } from "node:fs";
import { endWithParent } from "../orphan-guard.ts";
import type { TaskCall } from "../tasks.ts";

endWithParent();

process.send?.({ type: "ready" });
process.on("disconnect", () => process.exit(0));
process.on("message", ({ id, args }: TaskCall) => {
  const { file } = args as { file: string };
  if (file === "crash") process.kill(process.pid, "SIGSEGV");
  if (file.startsWith("hang")) {
    const note = file.slice("hang:".length);
    if (note !== "") writeFileSync(note, String(process.pid));
    for (;;);
  }
  if (file === "fail") process.send?.({ id, type: "failed", message: "a sentence", is_problem: true });
  if (file === "slow") {
    let done = 0;
    setInterval(() => process.send?.({ id, type: "progress", done: ++done }), 20);
  }
  if (file === "pid") process.send?.({ id, type: "done", result: process.pid });
});
