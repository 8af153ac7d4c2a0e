import type { HostEvent, HostSummary, UsageBatch } from "@sightline/core/hosts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadInstallToken } from "../../data-folder/token.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { waitFor } from "../clips/testing/wait.ts";
import { type Client, connect } from "../runs/testing/client.ts";

let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startTestServer();
  client = await connect(server.url, loadInstallToken(server.app.dataDir));
});
afterAll(() => server.close());

test("followers hear of this machine, how busy it is, and what happens to it", async () => {
  const lists: HostSummary[][] = [];
  const batches: UsageBatch[] = [];
  const events: HostEvent[][] = [];
  const streams = [
    client.hosts.follow.subscribe(undefined, { onData: (list) => void lists.push(list) }),
    client.hosts.followUsage.subscribe(undefined, { onData: (more) => void batches.push(...more) }),
    client.hosts.followEvents.subscribe({ host_id: "local" }, { onData: (list) => void events.push(list) }),
  ];
  await waitFor(
    () => lists.at(-1)?.[0]?.state,
    (state) => state === "ready",
  );
  await waitFor(
    () => batches.length,
    (count) => count > 0,
  );
  expect(batches[0]).toMatchObject({ host_id: "local", samples: [{ cpus: expect.any(Number) }] });
  await waitFor(
    () => events.length,
    (count) => count > 0,
  );
  expect(events[0]).toEqual([]);

  await client.hosts.rename.mutate({ host_id: "local", name: "The desk" });
  await waitFor(
    () => lists.at(-1)?.[0]?.name,
    (name) => name === "The desk",
  );
  await waitFor(
    () => events.at(-1)?.length,
    (count) => count === 1,
  );
  expect(events.at(-1)).toMatchObject([{ kind: "renamed", says: "This machine is called The desk now." }]);
  for (const stream of streams) stream.unsubscribe();
});
