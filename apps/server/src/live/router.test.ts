import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TrackedEnvelope } from "@trpc/server";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type App, createApp } from "../app.ts";
import { appRouter } from "../router.ts";
import type { LiveEvent } from "./router.ts";

let app: App;
let leave: AbortController;

beforeEach(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sightline-live-"));
  app = await createApp({ dataDir, log: pino({ level: "silent" }) });
  leave = new AbortController();
});

afterEach(async () => {
  leave.abort();
  await app.close();
  rmSync(app.dataDir, { recursive: true });
});

type Streams = Parameters<ReturnType<typeof appRouter.createCaller>["live"]["follow"]>[0];

/** What a page would hear: the event, and what it would send to go on after it. */
async function* listen(input: Streams): AsyncGenerator<{ event: LiveEvent; last: string }> {
  const caller = appRouter.createCaller({ app }, { signal: leave.signal });
  for await (const said of await caller.live.follow(input)) {
    const [last, event] = said as unknown as TrackedEnvelope<LiveEvent>;
    yield { event, last };
  }
}

test("several streams come over one, and one that does not exist says so alone", async () => {
  const heard = listen({
    streams: [
      { id: 1, path: "jobs.follow" },
      { id: 2, path: "nowhere.follow" },
      { id: 3, path: "clips.list" },
    ],
  });
  const events: LiveEvent[] = [];
  for await (const { event } of heard) {
    events.push(event);
    if (events.length === 3)
      app.jobs.start({ kind: "read", title: "Reading", clip_id: null }, async () => undefined);
    if (event.kind === "value" && JSON.stringify(event.value).includes('"done"')) break;
  }
  expect(events.filter(({ kind }) => kind === "error")).toMatchObject([
    { id: 2, code: "NOT_FOUND" },
    { id: 3, code: "NOT_FOUND" },
  ]);
  expect(events.at(-1)).toMatchObject({ id: 1, kind: "value", value: [{ title: "Reading", state: "done" }] });
});

test("as many streams as a page may have are no leak", async () => {
  const warnings: string[] = [];
  const note = (warning: Error) => warnings.push(warning.name);
  process.on("warning", note);
  const streams = Array.from({ length: 30 }, (_, id) => ({ id, path: "jobs.follow" }));
  let values = 0;
  for await (const { event } of listen({ streams })) {
    if (event.kind === "value") values += 1;
    if (values === 30) break;
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  process.off("warning", note);
  expect(warnings).toEqual([]);
});

test("a page that comes back goes on after the last event of each stream", async () => {
  const files = ["a", "b"].map((name) => join(app.dataDir, name));
  for (const file of files) writeFileSync(file, file);
  await app.clips.library.add({ path: files[0] ?? "", name: "a.mp4", move: true });
  const first = await listen({ streams: [{ id: 7, path: "clips.follow" }] }).next();
  if (first.done === true) throw new Error("The stream ended.");
  expect(first.value.event).toMatchObject({ id: 7, kind: "value", value: [{ name: "a.mp4" }] });
  expect(Object.keys(JSON.parse(first.value.last))).toEqual(["7"]);

  await app.clips.library.add({ path: files[1] ?? "", name: "b.mp4", move: true });
  for await (const { event } of listen({
    streams: [{ id: 7, path: "clips.follow" }],
    lastEventId: first.value.last,
  })) {
    if (event.kind !== "value") throw new Error("The stream ended.");
    const names = (event.value as { name: string }[]).map(({ name }) => name);
    if (names.includes("b.mp4")) break;
    // Meanwhile the first clip may have been read, which is a change, too.
    expect(names).toEqual(["a.mp4"]);
  }
});
