import { expect, it } from "vitest";
import { readAddress } from "./address.ts";
import { checkHost } from "./checks.ts";
import { HOST_CHECKS, type HostFacts } from "./types.ts";

const FACTS: HostFacts = {
  hostname: "gpu-1",
  user: "ada",
  python: "3.11.2",
  python_path: "/usr/bin/python3",
  slctl: "0.1.0",
  cpus: 8,
  memory_bytes: 64e9,
  memory_free_bytes: 32e9,
  disk_bytes: 1e12,
  disk_free_bytes: 5e11,
  gpus: [{ name: "H200", memory_bytes: 141e9 }],
  gpu_problem: null,
  boot_id: "boot",
  clock_offset_secs: 0.2,
  root_is_writable: true,
  root_has_locks: true,
  root_problem: null,
  linger: null,
  kill_user_processes: null,
  noise_bytes: 0,
};

const READY = {
  state: "ready" as const,
  profile: "cuda" as const,
  python: "/venv/bin/python",
  versions: { torch: "2.13.0", cuda: true },
  problem: null,
  job_id: null,
};

const troubled = (change: Partial<HostFacts>) =>
  checkHost({ ...FACTS, ...change }, READY).filter(({ state }) => state !== "ok");

it("a sound host passes every check", () => {
  const checks = checkHost(FACTS, READY);
  expect(checks.map(({ id }) => id)).toEqual([...HOST_CHECKS]);
  expect(new Set(checks.map(({ state }) => state))).toEqual(new Set(["ok"]));
});

it.each<[Partial<HostFacts>, string, string]>([
  [{ noise_bytes: 900 }, "noise", "warn"],
  [{ gpu_problem: "fell off the bus" }, "gpus", "warn"],
  [{ memory_free_bytes: 2e8 }, "memory", "warn"],
  [{ disk_free_bytes: 1e9 }, "disk", "warn"],
  [{ disk_free_bytes: 1e7 }, "disk", "fail"],
  [{ root_is_writable: false, root_problem: "Permission denied" }, "root", "fail"],
  [{ root_has_locks: false }, "root", "fail"],
  [{ kill_user_processes: true, linger: false }, "linger", "fail"],
  [{ clock_offset_secs: -3600 }, "clock", "warn"],
])("%o is told, with how to mend it", (change, id, state) => {
  expect(troubled(change)).toEqual([{ id, state, says: expect.any(String), mend: expect.any(String) }]);
});

it("what hides the rest leaves it unknown", () => {
  const checks = checkHost({ id: "python", says: "No Python.", mend: "Install python3 there." }, null);
  expect(checks.filter(({ state }) => state === "fail")).toMatchObject([{ id: "python" }]);
  expect(checks[0]).toMatchObject({ id: "reachable", state: "ok" });
  expect(checks.at(-1)).toMatchObject({ id: "environment", state: "unknown", mend: null });
});

it("takes addresses that mean nothing to a shell, and no others", () => {
  for (const address of ["gpu-1", "ada@gpu-1.example.org", "10.0.0.7", "ada@::1", "a_b+c@host"])
    expect(readAddress(` ${address} `)).toEqual({ address, problem: null });
  for (const text of [
    "",
    "-v",
    "ada@-v",
    "-v@gpu-1",
    "a b",
    "gpu-1;ls",
    "$(ls)",
    "gpu-1:22",
    "a@b@c d",
    "%h",
    "höst",
  ])
    expect(readAddress(text)).toMatchObject({ address: null, problem: expect.stringMatching(/\.$/) });
});
