import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { expect, test } from "vitest";
import { createJobs } from "./tray.ts";

const about = { kind: "read", title: "Reading walk.mp4", clip_id: null } as const;
const makeJobs = () => createJobs(pino({ level: "silent" }));

test("a job waits, runs, reports and is done", async () => {
  const jobs = makeJobs();
  const states: string[] = [];
  const look = () => {
    const [job] = jobs.list();
    states.push(`${job?.state} ${job?.done}/${job?.total}`);
  };
  const { job, ended } = jobs.start(about, async ({ begin, progress }) => {
    await sleep(1);
    begin();
    look();
    progress(3, 10);
    look();
  });
  expect(job).toMatchObject({ ...about, state: "waiting", done: 0, total: null, problem: null });
  expect((await ended).state).toBe("done");
  expect(states).toEqual(["running 0/null", "running 3/10"]);
});

test("what fails says why; what is cancelled is not a failure", async () => {
  const jobs = makeJobs();
  const failed = await jobs.start(about, () => Promise.reject(new Error("The disk is full."))).ended;
  expect(failed).toMatchObject({ state: "failed", problem: "The disk is full." });
  const { job, ended } = jobs.start(about, ({ signal }) => sleep(60_000, undefined, { signal }));
  jobs.cancel(job.job_id);
  expect(await ended).toMatchObject({ state: "cancelled", problem: null });
  expect(() => jobs.cancel("nothing")).toThrow("no longer in the list");
});

test("the list keeps what works and the last that ended", async () => {
  const jobs = makeJobs();
  const long = jobs.start({ ...about, title: "long" }, ({ signal }) => sleep(60_000, undefined, { signal }));
  for (let k = 0; k < 50; k++)
    await jobs.start({ ...about, title: `short ${k}` }, async () => undefined).ended;
  const titles = jobs.list().map(({ title }) => title);
  expect(titles[0]).toBe("long");
  expect(titles.length).toBe(31);
  expect(titles.at(-1)).toBe("short 49");
  expect(jobs.isClosing).toBe(false);
  await jobs.close();
  expect(jobs.isClosing).toBe(true);
  expect((await long.ended).state).toBe("cancelled");
});
