import { execFileSync, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkHost } from "@sightline/core/hosts";
import { describe, expect, it } from "vitest";
import { refKey } from "../executor.ts";
import { spec } from "../testing/sim-spec.ts";
import type { TestHost } from "../testing/ssh-host.ts";
import { canMountHere, whyNoSshd } from "../testing/sshd.ts";
import { startTestHost } from "../testing/test-host.ts";

const why = whyNoSshd();
if (why !== null) console.warn(`Left out: ${why}`);
const canMount = canMountHere();
if (!canMount) console.warn("Left out: full and read-only homes need root and mount namespaces.");
const canCompile = spawnSync("cc", ["--version"], { stdio: "ignore" }).status === 0;
if (!canCompile)
  console.warn("Left out: the slow disk is a library in front of fsync, and needs a C compiler.");

const { signal } = new AbortController();
const ref = { run_id: "run-a", attempt: 1 };
/** Slow enough that it lives when the answer to its launch comes. */
const order = { ...ref, spec: spec("run-a", { steps_per_sec: 2 }) };

/** Runs a command where the host's mounts are seen. */
const onHost = ({ sshd }: TestHost, command: string) =>
  execFileSync("nsenter", ["-t", String(sshd.pid()), "-m", "sh", "-c", command], { encoding: "utf8" });

const failing = async ({ executor }: TestHost) =>
  checkHost(await executor.doctor(signal), null)
    .filter(({ state }) => state === "fail")
    .map(({ id, mend }) => ({ id, mend }));

describe.skipIf(why !== null)("the disk of a host", () => {
  it.skipIf(!canMount)(
    "that is full is told by the doctor, refuses a launch, and takes it once there is room",
    async () => {
      const host = await startTestHost("full", { mount: "mount -t tmpfs -o size=300k tmpfs HOME" });
      onHost(host, `head -c 400000 /dev/zero > ${host.sshd.home}/big || true`);
      expect(await failing(host)).toContainEqual({
        id: "disk",
        mend: expect.stringMatching(/Free some space/),
      });
      await expect(host.executor.launch(order, signal)).rejects.toMatchObject({ code: "disk_full" });
      onHost(host, `rm ${host.sshd.home}/big; mount -o remount,size=40m ${host.sshd.home}`);
      expect((await host.executor.launch(order, signal)).dead).toBe(false);
    },
  );

  it.skipIf(!canMount)(
    "that fills up ends the run with its last words, and loses nothing that was written",
    async () => {
      const host = await startTestHost("fills", { mount: "mount -t tmpfs -o size=6m tmpfs HOME" });
      await host.executor.launch(
        { ...ref, spec: spec("run-a", { steps_per_sec: 20, steps_per_epoch: 400 }) },
        signal,
      );
      const log = async () => (await host.executor.readLog(ref, null, 10_000, signal)).bytes.toString();
      await expect.poll(log, { timeout: 60_000 }).toContain("step 5/400");
      onHost(host, `head -c 8000000 /dev/zero > ${host.sshd.home}/big || true`);
      const status = async () => (await host.executor.status([ref], signal)).get(refKey(ref));
      await expect
        .poll(status, { timeout: 90_000 })
        .toMatchObject({ verdict: "finished", dead: true, exit_code: 74, reason: "failed" });
      const events = onHost(host, `cat ${host.root}/run-a/attempts/001/events.jsonl`).trim().split("\n");
      const seqs = events.map((line) => (JSON.parse(line) as { seq: number }).seq);
      expect(seqs).toEqual(Array.from(seqs, (_, i) => i + 1));
      expect(events.at(-1)).toContain("attempt.end");
    },
  );

  it.skipIf(!canMount)("that is read-only is told by the doctor, and refuses a launch", async () => {
    const host = await startTestHost("readonly", {
      mount: "mount -t tmpfs tmpfs HOME && mount -o remount,ro HOME",
    });
    expect(await failing(host)).toContainEqual({ id: "root", mend: expect.stringMatching(/may write/) });
    await expect(host.executor.launch(order, signal)).rejects.toMatchObject({
      code: "io",
      message: expect.stringMatching(/Read-only file system/),
    });
  });

  it.skipIf(!canCompile)(
    "that takes a second for each fsync slows a run down and loses nothing of it",
    async () => {
      const host = await startTestHost("slow");
      const library = join(host.sshd.folder, "slow.so");
      writeFileSync(
        join(host.sshd.folder, "slow.c"),
        `#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>
static int slow(const char *name, int fd) { sleep(1); return ((int (*)(int))dlsym(RTLD_NEXT, name))(fd); }
int fsync(int fd) { return slow("fsync", fd); }
int fdatasync(int fd) { return slow("fdatasync", fd); }
`,
      );
      execFileSync("cc", ["-shared", "-fPIC", "-o", library, join(host.sshd.folder, "slow.c"), "-ldl"]);
      await host.sshd.start({ env: { LD_PRELOAD: library } });
      const begun = Date.now();
      const [first, second] = await Promise.all([
        host.executor.launch(order, signal),
        host.executor.launch(order, signal),
      ]);
      expect([first.dead, second.dead]).toEqual([false, false]);
      expect(Date.now() - begun).toBeGreaterThan(1000);
      const status = async () => (await host.executor.status([ref], signal)).get(refKey(ref));
      await expect
        .poll(status, { timeout: 150_000 })
        .toMatchObject({ verdict: "finished", reason: "done", exit_code: 0 });
    },
  );
});
