import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clip, Job } from "@sightline/core/clips";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadInstallToken } from "../../data-folder/token.ts";
import { getFixture } from "../../media/testing/fixtures.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { type Client, connect } from "../runs/testing/client.ts";
import { upload } from "./testing/tus.ts";
import { waitFor } from "./testing/wait.ts";

let server: TestServer;
let client: Client;

beforeAll(async () => {
  server = await startTestServer();
  client = await connect(server.url, loadInstallToken(server.app.dataDir));
});
afterAll(() => server.close());

test("followers hear of a clip from its arrival to its last frame, and of the work on it", async () => {
  const heard: Clip[] = [];
  const jobs: Job[][] = [];
  const clips = client.clips.follow.subscribe(undefined, {
    onData: (message) => void heard.push(...(message as unknown as { data: Clip[] }).data),
  });
  const work = client.jobs.follow.subscribe(undefined, { onData: (list) => void jobs.push(list) });
  await waitFor(
    () => jobs.length,
    (count) => count > 0,
  );
  const answer = await upload(server, "walk.mp4", readFileSync(getFixture("hevc.mp4")));
  const clip_id = answer.headers.get("x-clip-id");
  await waitFor(
    () => heard.at(-1),
    (clip) => clip?.playback === "proxy",
  );
  await waitFor(
    () => jobs.at(-1)?.map(({ kind, state }) => `${kind} ${state}`) ?? [],
    (states) => states.includes("proxy done") && states.includes("read done"),
  );
  expect(heard.every((clip) => clip.clip_id === clip_id)).toBe(true);
  expect(heard[0]?.state).toBe("reading");
  const read = jobs.at(-1)?.find(({ kind }) => kind === "read");
  expect(read).toMatchObject({ title: "Reading walk.mp4", clip_id, state: "done", problem: null });
  expect(read?.done).toBe(read?.total);
  clips.unsubscribe();
  work.unsubscribe();
});

test("a follower that comes back hears only of what changed since", async () => {
  const heard: { id: string; clips: Clip[] }[] = [];
  const listen = (lastEventId?: string) =>
    client.clips.follow.subscribe(lastEventId === undefined ? undefined : { lastEventId }, {
      onData(message) {
        const { id, data } = message as unknown as { id: string; data: Clip[] };
        heard.push({ id, clips: data });
      },
    });
  const first = listen();
  await waitFor(
    () => heard.length,
    (count) => count > 0,
  );
  first.unsubscribe();
  const seen = heard.splice(0).at(-1)?.id;
  const [clip] = await client.clips.list.query({});
  await client.clips.rename.mutate({ clip_id: clip?.clip_id ?? "", name: "renamed.mp4" });
  const second = listen(seen);
  await waitFor(
    () => heard.length,
    (count) => count > 0,
  );
  second.unsubscribe();
  expect(heard[0]?.clips.map(({ name }) => name)).toEqual(["renamed.mp4"]);
});

test("reading can be cancelled; adding the file again reads it", async () => {
  const file = getFixture("ntsc-29.97.mp4");
  const { clips, jobs } = server.app;
  const { clip } = await clips.library.add({ path: file, name: "long.mp4", move: false });
  const { clip_id } = clip;
  const job = jobs.list().find((one) => one.clip_id === clip_id && one.kind === "read");
  jobs.cancel(job?.job_id ?? "");
  const cancelled = await waitFor(
    () => clips.library.get(clip_id),
    ({ state }) => state !== "reading",
  );
  expect(cancelled).toMatchObject({ state: "refused", problem: expect.stringContaining("cancelled") });
  await upload(server, "long.mp4", readFileSync(file));
  const again = await waitFor(
    () => clips.library.get(clip_id),
    ({ state }) => state !== "reading",
  );
  expect(again).toMatchObject({ state: "ready", frame_count: 95, problem: null });
});

test("a page cancels a job that is in the list, and hears of one that is not", async () => {
  const about = { kind: "read", title: "Reading", clip_id: null } as const;
  const { job, ended } = server.app.jobs.start(about, ({ signal }) => sleep(600_000, undefined, { signal }));
  await client.jobs.cancel.mutate({ job_id: job.job_id });
  expect(await ended).toMatchObject({ state: "cancelled", problem: null });
  await expect(client.jobs.cancel.mutate({ job_id: "none" })).rejects.toThrow("no longer in the list");
});
