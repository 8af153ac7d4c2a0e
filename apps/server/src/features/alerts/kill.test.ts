import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test, vi } from "vitest";
import { freePort } from "../../testing/free-port.ts";
import { smallRun } from "../runs/testing/launch.ts";
import { makeDataDir, type ServerProcess, spawnServer } from "../runs/testing/servers.ts";
import { startReceiver } from "./testing/receiver.ts";

vi.setConfig({ testTimeout: 400_000 });

const folder = makeDataDir("alerts-kill");
let running: ServerProcess | null = null;
afterAll(async () => {
  await running?.kill();
  await folder.remove();
});

test("a server killed between firing and telling tells it when it is back; a double has the same id", async () => {
  // The receiver takes what it is told and never says so: the server dies while it waits.
  const receiver = await startReceiver(await freePort());
  receiver.answer.push("silent");
  running = await spawnServer(folder.dataDir);
  const { client } = running;
  const { webhook_id } = await client.alerts.putWebhook.mutate({
    webhook_id: null,
    name: "chat",
    url: receiver.url,
  });
  await client.alerts.save.mutate({
    rule_id: null,
    rule: {
      name: "no number",
      kind: "non_finite",
      params: {},
      scope: { kind: "all" },
      webhook_ids: [webhook_id],
    },
  });
  const { run_id } = await client.runs.launch.mutate({
    ...smallRun({ steps_per_sec: 10, faults: "nan@5" }),
    launch_key: randomUUID(),
  });
  while (receiver.received.length === 0) await sleep(10);
  await running.kill();
  expect(receiver.received).toHaveLength(1);
  await receiver.close();

  // While it is away nobody listens; the run goes on and ends, and the episode with it.
  await sleep(1500);
  running = await spawnServer(folder.dataDir);
  const again = running.client;
  const waiting = async () =>
    (await again.alerts.deliveries.query()).filter(
      ({ state, problem }) => state === "waiting" && problem !== null,
    );
  while ((await waiting()).length === 0) await sleep(50);
  await running.kill();
  const back = await startReceiver(receiver.port);
  running = await spawnServer(folder.dataDir);
  while (back.received.length < 2) await sleep(50);
  await sleep(1000);
  const told = back.received.map(
    ({ body }) => JSON.parse(body) as { id: string; kind: string; run: { run_id: string } },
  );
  expect(told.map(({ kind, run }) => [kind, run.run_id])).toEqual([
    ["fired", run_id],
    ["ended", run_id],
  ]);
  expect(told[0]?.id).toBe(JSON.parse(receiver.received[0]?.body ?? "{}").id);
  expect(await running.client.alerts.ofRun.query({ run_id })).toMatchObject([
    { from_step: 5, kind: "non_finite" },
  ]);
  await back.close();
});
