import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostFacts, HostSummary } from "@sightline/core/hosts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Db, openDatabase } from "../../db/open.ts";
import { createHostHistory, type HostHistory } from "./history.ts";

let folder: string;
let db: Db;
let history: HostHistory;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-history-"));
  db = openDatabase(join(folder, "sightline.db"));
  history = createHostHistory(db);
});
afterEach(() => {
  db.$client.close();
  rmSync(folder, { recursive: true });
});

const facts = (change: Partial<HostFacts> = {}): HostFacts => ({
  hostname: "box",
  user: "ana",
  python: "3.11.2",
  python_path: "/usr/bin/python3",
  slctl: "0.1.0",
  cpus: 8,
  memory_bytes: 32e9,
  memory_free_bytes: 20e9,
  disk_bytes: 500e9,
  disk_free_bytes: 100e9,
  gpus: [],
  gpu_problem: null,
  boot_id: "one",
  clock_offset_secs: 0.2,
  root_is_writable: true,
  root_has_locks: true,
  root_problem: null,
  linger: null,
  kill_user_processes: null,
  noise_bytes: 0,
  ...change,
});

const saw = (change: Partial<HostSummary> = {}) =>
  history.saw({ host_id: "h1", state: "ready", problem: null, facts: facts(), environment: null, ...change });

const kinds = () =>
  history
    .list("h1")
    .map(({ kind }) => kind)
    .reverse();

test("an absence is told once, and once that it is over", () => {
  saw();
  const away = { state: "unreachable", problem: "It does not answer: timed out", facts: null } as const;
  saw(away);
  saw(away);
  saw();
  saw();
  expect(kinds()).toEqual(["unreachable", "back"]);
  expect(history.list("h1")[1]?.says).toBe("It does not answer: timed out");
});

test("a restart of the server does not forget that a host was away", () => {
  saw({ state: "unreachable", problem: "gone", facts: null });
  history = createHostHistory(db);
  saw({ state: "unreachable", problem: "gone", facts: null });
  saw();
  expect(kinds()).toEqual(["unreachable", "back"]);
});

test("a changed key, a reboot, a full disk and a wrong clock are told, and when they are over", () => {
  saw();
  saw({ state: "refused", problem: "Its key changed.", facts: null });
  saw({ facts: facts({ boot_id: "two", disk_free_bytes: 1e9, clock_offset_secs: -3600 }) });
  saw({ facts: facts({ boot_id: "two", disk_free_bytes: 2.5e9, clock_offset_secs: -30 }) });
  saw({ facts: facts({ boot_id: "two" }) });
  expect(kinds()).toEqual([
    "refused",
    "back",
    "rebooted",
    "disk_low",
    "clock_off",
    "disk_fine",
    "clock_right",
  ]);
});

test("a preparation's end is told", () => {
  const environment = {
    state: "preparing",
    profile: "cpu",
    python: null,
    versions: null,
    problem: null,
    job_id: null,
  } as const;
  saw({ environment });
  saw({ environment: { ...environment, state: "absent", problem: "pip found no such version." } });
  saw({ environment });
  saw({ environment: { ...environment, state: "ready", python: "/x/python" } });
  expect(kinds()).toEqual(["prepare_failed", "prepared"]);
});

test("what is written stays", () => {
  history.note("h1", "attached", "Attached as ana@box.");
  expect(() => db.$client.exec("UPDATE host_events SET says = 'no'")).toThrow(/never changed/);
  expect(() => db.$client.exec("DELETE FROM host_events")).toThrow(/never removed/);
  expect(history.list("h1")).toMatchObject([{ kind: "attached", says: "Attached as ana@box." }]);
  expect(history.list("other")).toEqual([]);
});
