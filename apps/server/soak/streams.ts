import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../src/db/open.ts";
import { connect } from "../src/features/runs/testing/client.ts";
import { smallRun } from "../src/features/runs/testing/launch.ts";
import { makeDataDir, type ServerProcess, spawnServer } from "../src/features/runs/testing/servers.ts";

/**
 * Many followers of many runs for a long time, cut off at random and going on by their last event, the server killed and
 * started again meanwhile. Every follower must hold every row once. `pnpm soak streams [SECONDS] [FOLLOWERS] [RUNS]`.
 */

const secs = Number(process.argv[2] ?? 300);
const followers = Number(process.argv[3] ?? 20);
const runs = Number(process.argv[4] ?? 5);
const KILL_EVERY_SECS = 45;

const { dataDir, remove } = makeDataDir("streams");
let server: ServerProcess = await spawnServer(dataDir);
const { port, address, url } = server;
const token = new URL(url).searchParams.get("token") ?? "";
let ok = false;
try {
  const run_ids: string[] = [];
  for (let i = 0; i < runs; i++) {
    const steps = secs * 10;
    const settings = {
      steps_per_sec: 10,
      max_steps: steps,
      steps_per_epoch: Math.ceil(steps / 4),
      save_steps: 100,
    };
    run_ids.push((await server.client.runs.launch.mutate({ ...smallRun(settings), seed: i })).run_id);
  }
  const holders = await Promise.all(Array.from({ length: followers }, () => startHolder(run_ids)));
  const rss: number[] = [];
  const end = Date.now() + secs * 1000;
  let nextKill = Date.now() + KILL_EVERY_SECS * 1000;
  let kills = 0;
  while (Date.now() < end) {
    await sleep(5000);
    rss.push(memoryOf(server.pid));
    console.error(
      `${Math.round((end - Date.now()) / 1000)} s left, ${holders[0]?.count()} rows, server ${Math.round((rss.at(-1) ?? 0) / 1e6)} MB`,
    );
    if (Date.now() < nextKill) continue;
    await server.kill();
    await sleep(Math.random() * 3000);
    server = await spawnServer(dataDir, port);
    kills += 1;
    nextKill = Date.now() + KILL_EVERY_SECS * 1000;
  }
  for (const run_id of run_ids) {
    await server.client.runs.stop.mutate({ run_id });
    while ((await server.client.runs.get.query({ run_id })).attempts.some(({ ended }) => !ended))
      await sleep(200);
  }
  await sleep(3000);
  for (const holder of holders) holder.stop();
  await server.kill();
  const db = openDatabase(join(dataDir, "sightline.db"));
  const stored = db.$client
    .prepare<[], { id: number }>("SELECT id FROM run_lines WHERE stream = 'events' ORDER BY id")
    .all()
    .map(({ id }) => id);
  db.$client.close();
  const wrong = holders.filter((holder) => holder.ids().join() !== stored.join());
  ok = wrong.length === 0;
  console.log(
    JSON.stringify({
      id: "streams",
      value: wrong.length,
      unit: "followers that miss a row or hold one twice",
      target: "= 0",
      ok,
      runs: followers,
      rows: stored.length,
      cuts: holders.reduce((sum, holder) => sum + holder.cuts(), 0),
      kills,
      server_mb: [Math.round(Math.min(...rss) / 1e6), Math.round(Math.max(...rss) / 1e6)],
      with: `${followers} followers of ${runs} runs at 10 steps/s over ${secs} s, each cut off every 5 s or so`,
    }),
  );
} finally {
  await server.kill();
  await remove();
}
process.exitCode = ok ? 0 : 1;

/** A follower that leaves every few seconds and comes back with its last event. */
async function startHolder(run_ids: string[]) {
  const client = await connect(address, token);
  const ids = new Map<string, number[]>();
  let last: string | null = null;
  let cuts = 0;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let off: () => void = () => undefined;
  const begin = () => {
    const subscription = client.runs.follow.subscribe(
      { run_ids, lastEventId: last },
      {
        onData({ id, data }) {
          last = id;
          if (data.kind === "history")
            for (const { run_id, rows } of data.histories)
              ids.set(
                run_id,
                rows.map((row) => row.id),
              );
          if (data.kind === "rows") for (const row of data.rows) ids.get(row.line.run_id)?.push(row.id);
        },
      },
    );
    off = () => subscription.unsubscribe();
    timer = setTimeout(
      () => {
        off();
        cuts += 1;
        if (!stopped) begin();
      },
      1000 + Math.random() * 8000,
    );
  };
  begin();
  return {
    ids: () => [...ids.values()].flat().sort((a, b) => a - b),
    count: () => [...ids.values()].reduce((sum, { length }) => sum + length, 0),
    cuts: () => cuts,
    stop() {
      stopped = true;
      clearTimeout(timer);
      off();
    },
  };
}

function memoryOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes ?? 0) * 1024;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
