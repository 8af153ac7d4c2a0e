import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addUsage, type HostUsage, type UsageBatch } from "@sightline/core/hosts";
import { pino } from "pino";
import { afterEach, expect, test, vi } from "vitest";
import { createLocalExecutor, runEnvironment } from "../../executors/local.ts";
import { waitFor } from "../clips/testing/wait.ts";
import { createUsageWatch } from "./usage.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A host that is this machine, with an nvidia-smi of the test's own: two GPUs, one of them in instances. */
function openWatch({ active = [] as string[], hasPython = true } = {}) {
  const root = mkdtempSync(join(tmpdir(), "sightline-usage-"));
  const tool = join(root, "nvidia-smi");
  writeFileSync(
    tool,
    `#!/bin/sh
cat <<'END'
0, GPU-a, 81920, 40960, 75, 60, Disabled, 550.54.15, NVIDIA A100-SXM4-80GB
1, GPU-b, 81920, 10240, [N/A], 44, Enabled, 550.54.15, NVIDIA A100-SXM4-80GB
END
`,
  );
  chmodSync(tool, 0o755);
  const executor = createLocalExecutor({
    root,
    environment: { ...runEnvironment(process.env), PATH: `${root}:${process.env.PATH}` },
    ...(hasPython ? {} : { search_path: "/nowhere" }),
  });
  const answers: HostUsage[] = [];
  const silences: string[] = [];
  const watch = createUsageWatch({
    ids: () => ["local"],
    executor: () => executor,
    active: () => new Set(active),
    onAnswer: (_, usage) => void answers.push(usage),
    onSilence: (_, message) => void silences.push(message),
    log: pino({ level: "silent" }),
    every_secs: 0.05,
  });
  cleanups.push(
    () => rmSync(root, { recursive: true, force: true }),
    () => executor.close(),
    () => watch.close(),
  );
  return { watch, answers, silences };
}

function look(watch: ReturnType<typeof openWatch>["watch"]): { heard: UsageBatch[]; leave(): void } {
  const heard: UsageBatch[] = [];
  const leaving = new AbortController();
  cleanups.push(() => leaving.abort());
  void (async () => {
    for await (const batches of watch.follow(leaving.signal)) heard.push(...batches);
  })();
  return { heard, leave: () => leaving.abort() };
}

test("whoever looks hears of GPUs, processors, memory and disk, and late comers of what was before", async () => {
  const { watch, answers } = openWatch();
  const first = look(watch);
  await waitFor(
    () => first.heard.flatMap(({ samples }) => samples),
    (samples) => samples.length >= 4,
  );
  const samples = first.heard.flatMap((batch) => batch.samples);
  const newest = samples.at(-1);
  expect(newest?.gpus.map(({ util, used_bytes, mig }) => ({ util, used_bytes, mig }))).toEqual([
    { util: 0.75, used_bytes: 40960 * 1024 * 1024, mig: false },
    { util: null, used_bytes: 10240 * 1024 * 1024, mig: true },
  ]);
  expect(samples[0]?.cpu_share).toBeNull();
  // Between two that are closer than a tick of the processor's clock there is none.
  const shares = samples.flatMap(({ cpu_share }) => cpu_share ?? []);
  expect(shares.length).toBeGreaterThan(0);
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...shares)).toBeLessThanOrEqual(1);
  expect(newest?.memory_used_bytes).toBeGreaterThan(0);
  expect(newest?.disk_free_bytes).toBeGreaterThan(0);
  const times = samples.map(({ time_secs }) => time_secs);
  expect([...new Set(times)].sort((a, b) => a - b)).toEqual(times);

  const late = look(watch);
  await waitFor(
    () => late.heard[0]?.samples.length ?? 0,
    (count) => count >= 4,
  );
  expect(late.heard[0]?.samples[0]?.time_secs).toBe(answers[0]?.time_secs);
});

test("nobody looks and nothing runs: the host is left in peace; a run under way is watched", async () => {
  const quiet = openWatch();
  const visit = look(quiet.watch);
  await waitFor(
    () => quiet.answers.length,
    (count) => count > 0,
  );
  visit.leave();
  // The answer to the last question may still be on its way.
  await waitFor(
    async () => {
      const before = quiet.answers.length;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return quiet.answers.length - before;
    },
    (more) => more === 0,
  );

  const busy = openWatch({ active: ["local"] });
  await waitFor(
    () => busy.answers.length,
    (count) => count > 1,
  );
});

test("a host that does not answer is told of, with the reason", async () => {
  const { watch, silences, answers } = openWatch({ hasPython: false });
  look(watch);
  await waitFor(
    () => silences.length,
    (count) => count > 0,
  );
  expect(silences[0]).toMatch(/Python 3\.10 or newer/);
  expect(answers).toEqual([]);
});

test("a clock that is set back stops nothing: what is measured after it goes on, and what was before goes", async () => {
  const { watch } = openWatch();
  const { heard } = look(watch);
  await waitFor(
    () => heard,
    (batches) => batches.length > 0,
  );
  const now = Date.now;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() - 3 * 3_600_000);
  cleanups.push(() => clock.mockRestore());
  const known = await waitFor(
    () => heard.reduce<HostUsage[]>((all, { samples }) => addUsage(all, samples), []),
    (all) => all.length > 1 && all.every(({ time_secs }) => time_secs < now() / 1000 - 3600),
  );
  expect(known.map(({ time_secs }) => time_secs)).toEqual(
    known.map(({ time_secs }) => time_secs).sort((a, b) => a - b),
  );
});
