import { Worker } from "node:worker_threads";

/**
 * Starts a worker thread on a TypeScript module of the server.
 *
 * @param module  `import.meta.resolve("./x-worker.ts")` or a file URL.
 * @param data  Structured-cloneable; the module finds it as `workerData.data`.
 */
export function startWorker(module: URL, data: unknown = null): Worker {
  return new Worker(new URL("./boot.mjs", import.meta.url), { workerData: { module: module.href, data } });
}
