import { Worker } from "node:worker_threads";

const LOOK_MS = 2000;

/**
 * Ends this process soon after its parent has gone, even while it hangs in a loop.
 *
 * The main thread of a decoder that hangs never hears that its parent disconnected; a second thread does see that it
 * has been given to another one.
 */
export function endWithParent() {
  const look = `
    setInterval(() => {
      if (process.ppid !== ${process.ppid}) process.kill(process.pid, "SIGKILL");
    }, ${LOOK_MS});
  `;
  new Worker(look, { eval: true, execArgv: [] }).unref();
}
