import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attemptProcesses } from "../../features/runs/testing/processes.ts";
import { type Executor, refKey } from "../executor.ts";
import { spec } from "../testing/sim-spec.ts";
import { endProcess, whyNoSshd } from "../testing/sshd.ts";
import { startTestHost } from "../testing/test-host.ts";

const why = whyNoSshd();
if (why !== null) console.warn(`Left out: ${why}`);

const { signal } = new AbortController();
const SLOW = { steps_per_sec: 2, steps_per_epoch: 200 };
const ref = { run_id: "run-a", attempt: 1 };
const order = { ...ref, spec: spec("run-a", SLOW) };

const statusOf = async (executor: Executor, at = ref) =>
  (await executor.status([at], signal)).get(refKey(at));
const verdict = async (executor: Executor) => (await statusOf(executor))?.verdict;
const eventually = (executor: Executor, state: string) =>
  expect.poll(() => verdict(executor), { timeout: 60_000 }).toBe(state);

function readLines(root: string, attempt = "001"): { type: string; time_secs: number }[] {
  const text = readFileSync(join(root, "run-a/attempts", attempt, "events.jsonl"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; time_secs: number });
}

const starts = (root: string) => readLines(root).filter(({ type }) => type === "attempt.start");

describe.skipIf(why !== null)("an attempt on an SSH host", () => {
  it("is one process, however many launch it at once over links of their own", async () => {
    const { sshd, ssh, executor, root, dataDir } = await startTestHost("race");
    const target = { address: "testhost", port: null, root };
    sshd.trustIn(join(dataDir, "ssh/known_hosts"));
    const other = ssh.executor(target);
    try {
      const all = await Promise.all(
        [executor, other, executor, other].map((way) => way.launch(order, signal)),
      );
      expect(all.map(({ run_id, attempt, dead }) => ({ run_id, attempt, dead }))).toEqual(
        Array.from({ length: 4 }, () => ({ ...ref, dead: false })),
      );
      expect(starts(root)).toHaveLength(1);
      expect(await other.find(signal)).toMatchObject([{ run_id: "run-a", attempts: [{ attempt: 1 }] }]);
    } finally {
      await other.close();
    }
  });

  it("is the same one when the answer to its launch was lost on the way", async () => {
    const { sshd, executor, root } = await startTestHost("lost");
    await executor.doctor(signal);
    const asked = executor.launch(order, signal).catch((error: unknown) => error);
    while (!existsSync(join(root, "run-a/attempts/001")))
      await new Promise((resolve) => setTimeout(resolve, 2));
    for (const pid of sshd.sessions()) endProcess(pid);
    await asked;
    await expect
      .poll(() => executor.launch(order, signal).then(({ attempt, dead }) => ({ attempt, dead }), String), {
        timeout: 90_000,
      })
      .toEqual({ attempt: 1, dead: false });
    // The attempt names itself before it writes its first line.
    await expect.poll(() => starts(root), { timeout: 40_000 }).toHaveLength(1);
    expect(readdirSync(join(root, "run-a/attempts"))).toEqual(["001"]);
  });

  it("is orphaned when its supervisor was killed, and can still be stopped", async () => {
    const { sshd, executor } = await startTestHost("orphan");
    await executor.launch(order, signal);
    endProcess(attemptProcesses(sshd.home, "run-a", 1)?.supervisor ?? 0);
    await eventually(executor, "orphaned");
    await executor.control(ref, "stop", signal);
    // Whoever takes the dead supervisor's place holds the lock once more while it writes down how the trainer ended.
    await expect
      .poll(() => statusOf(executor), { timeout: 90_000 })
      .toMatchObject({ verdict: "finished", dead: true, reason: "stopped" });
  });

  it("has ended by SIGKILL when its trainer was killed, and is killed when its supervisor was too", async () => {
    const { sshd, executor } = await startTestHost("killed");
    await executor.launch(order, signal);
    endProcess(attemptProcesses(sshd.home, "run-a", 1)?.trainer ?? 0);
    await expect
      .poll(() => statusOf(executor), { timeout: 60_000 })
      .toMatchObject({ verdict: "finished", dead: true, signal: "SIGKILL", reason: "failed" });

    const second = { ...order, attempt: 2 };
    await executor.launch(second, signal);
    const { trainer = 0, supervisor = 0 } = attemptProcesses(sshd.home, "run-a", 2) ?? {};
    endProcess(supervisor);
    endProcess(trainer);
    await expect
      .poll(async () => (await statusOf(executor, second))?.verdict, { timeout: 60_000 })
      .toBe("killed");
  });

  it("was interrupted when the host was started anew, and the next one may start", async () => {
    const { sshd, executor } = await startTestHost("reboot", { env: { SLCTL_BOOT_ID: "first" } });
    await executor.launch(order, signal);
    await expect(executor.launch({ ...order, attempt: 2 }, signal)).rejects.toMatchObject({ code: "alive" });
    const { trainer = 0, supervisor = 0 } = attemptProcesses(sshd.home, "run-a", 1) ?? {};
    endProcess(supervisor);
    endProcess(trainer);
    await sshd.start({ env: { SLCTL_BOOT_ID: "second" } });
    executor.tryAgain();
    await expect.poll(() => verdict(executor).catch(() => ""), { timeout: 60_000 }).toBe("interrupted");
    expect((await executor.doctor(signal)).boot_id).toBe("second");
    expect((await executor.launch({ ...order, attempt: 2 }, signal)).dead).toBe(false);
  });

  it("keeps its order on a host whose clock is an hour off, and the doctor says so", async () => {
    const { executor, root } = await startTestHost("clock", { env: { SLCTL_CLOCK_OFFSET_SECS: "-3600" } });
    expect((await executor.doctor(signal)).clock_offset_secs).toBeCloseTo(-3600, -2);
    await executor.launch({ ...ref, spec: spec("run-a") }, signal);
    expect((await statusOf(executor))?.heartbeat_age_secs ?? 0).toBeLessThan(60);
    await expect
      .poll(() => statusOf(executor), { timeout: 60_000 })
      .toMatchObject({ verdict: "finished", reason: "done", exit_code: 0 });
    for (const { time_secs } of readLines(root)) expect(Date.now() / 1000 - time_secs).toBeGreaterThan(3500);
  });

  it("runs under our supervisor, whatever older or broken one lies on the host", async () => {
    const { sshd, ssh, executor, root } = await startTestHost("versions");
    const bin = join(sshd.home, ".sightline/bin");
    await executor.doctor(signal);
    const [name = ""] = readdirSync(bin);
    const ours = readFileSync(join(bin, name));
    await executor.close();
    writeFileSync(join(bin, name), "broken");
    const older = ["0", "1", "2"].map((digit) => `slctl-${digit.repeat(16)}.pyz`);
    for (const one of [...older, "notes.txt"]) {
      writeFileSync(join(bin, one), "older");
      if (one !== older[0]) utimesSync(join(bin, one), 0, 0);
    }
    const [recent = "", used = "", forgotten = ""] = older;
    const user = spawn("sleep", ["600"], { env: { ...process.env, PYTHONPATH: join(bin, used) } });
    await once(user, "spawn");
    const again = ssh.executor({ address: sshd.address, port: sshd.port, root });
    try {
      expect((await again.doctor(signal)).slctl).toMatch(/^\d/);
      expect(readFileSync(join(bin, name)).equals(ours)).toBe(true);
      expect(readdirSync(bin)).not.toContain(forgotten);
      expect(readdirSync(bin).sort()).toEqual([name, recent, used, "notes.txt"].sort());
      mkdirSync(root, { recursive: true });
      await expect(
        again.launch(
          { ...ref, spec: { ...spec("run-a"), engine: "grpo" }, python: "/no/such/python" },
          signal,
        ),
      ).rejects.toMatchObject({ code: "not_started", message: expect.stringMatching(/Can't run/) });
    } finally {
      user.kill();
      await again.close();
    }
  });
});
