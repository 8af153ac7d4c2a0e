/**
 * Asks this process to end once the one that started it is gone: who ends `npm start` ends npm and its shell,
 * which don't pass the signal on. Does nothing where npm did not start it.
 */
export function endWithParent() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, "SIGTERM");
  }, 500);
  watch.unref();
}
