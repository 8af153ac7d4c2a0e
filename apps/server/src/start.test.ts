import { type ChildProcess, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";

const MAIN = join(import.meta.dirname, "main.ts");

let folder: string;
let started: ChildProcess[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "sightline-start-"));
  started = [];
});
afterEach(async () => {
  await Promise.all(started.map((child) => end(child, "SIGKILL")));
  rmSync(folder, { recursive: true });
});

/** What a start came to: its address, or its words and exit code. */
type Outcome =
  | { child: ChildProcess; address: string }
  | { child: ChildProcess; code: number | null; said: string };

function start(...options: string[]): Promise<Outcome> {
  const args = [
    "--import",
    "tsx",
    MAIN,
    "--no-open",
    "--bare",
    "--port",
    "0",
    "--data",
    join(folder, "data"),
    ...options,
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  return new Promise((resolve) => {
    let said = "";
    const read = (chunk: Buffer) => {
      said += chunk.toString();
      const address = /http:\/\/\S+\/enter\?token=\S+/.exec(said)?.[0];
      if (address !== undefined && !said.includes("already works")) resolve({ child, address });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("close", (code) => resolve({ child, code, said }));
  });
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    child.once("exit", resolve);
    child.kill(signal);
  });
}

async function expectAddress(outcome: Promise<Outcome>) {
  const result = await outcome;
  if (!("address" in result)) throw new Error(`The server did not start: ${result.said}`);
  return result;
}

async function expectRefusal(outcome: Promise<Outcome>) {
  const result = await outcome;
  if ("address" in result) throw new Error("The server started.");
  expect(result.code).toBe(1);
  expect(result.said).not.toMatch(/\n\s+at /);
  return result.said;
}

/** Takes a port below those that the system hands out: nobody takes the next one meanwhile. */
async function takeQuietPort(): Promise<{ other: Server; port: number }> {
  for (;;) {
    const other = createServer();
    const port = 20_000 + Math.floor(10_000 * Math.random());
    const isMine = await new Promise<boolean>((resolve) => {
      other.once("error", () => resolve(false));
      other.listen(port, "127.0.0.1", () => resolve(true));
    });
    if (isMine) return { other, port };
  }
}

test("it starts on a new folder, lets its printed address in, keeps its secrets to its user and ends in good order", async () => {
  const { child, address } = await expectAddress(start());
  const entered = await fetch(address, { redirect: "manual" });
  expect([entered.status, entered.headers.get("location")]).toEqual([303, "/"]);
  for (const file of ["token", "holder.json", "logs/server.log"]) {
    expect([file, statSync(join(folder, "data", file)).mode & 0o077]).toEqual([file, 0]);
  }
  expect(readFileSync(join(folder, "data", "logs", "server.log"), "utf8")).not.toContain(
    address.split("=")[1],
  );
  expect(await end(child, "SIGTERM")).toBe(0);
  expect(existsSync(join(folder, "data", "holder.json"))).toBe(false);
  const again = await expectAddress(start());
  expect(again.address.split("token=")[1]).toBe(address.split("token=")[1]);
});

test("of starters that race for a folder exactly one wins, and the others say who did", async () => {
  const outcomes = await Promise.all([start(), start(), start()]);
  const winners = outcomes.filter((outcome) => "address" in outcome);
  expect(winners).toHaveLength(1);
  const late = await expectRefusal(start());
  expect(late).toContain(`process ${winners[0]?.child.pid}, since `);
  expect(late).toMatch(/Open it: http:\/\/127\.0\.0\.1:\d+\/enter\?token=/);
  expect(late).toContain("--data DIR");
});

test("a folder whose holder was killed is taken over at once, one that is only stopped is not", async () => {
  const { child } = await expectAddress(start());
  child.kill("SIGSTOP");
  await expectRefusal(start());
  await end(child, "SIGKILL");
  await expectAddress(start());
});

test("a log that can't be written, as on a full disk, doesn't end the server", async () => {
  mkdirSync(join(folder, "data", "logs"), { recursive: true });
  symlinkSync("/dev/full", join(folder, "data", "logs", "server.log"));
  const { address } = await expectAddress(start());
  expect((await fetch(address, { redirect: "manual" })).status).toBeLessThan(400);
});

test("a taken port names a free one", async () => {
  const { other, port } = await takeQuietPort();
  const said = await expectRefusal(start("--port", String(port)));
  other.close();
  expect(said).toContain(`Port ${port} is taken.`);
  const free = /--port (\d+)/.exec(said)?.[1] ?? "";
  await expectAddress(start("--port", free));
});

test("a newer database is refused", async () => {
  const { child } = await expectAddress(start());
  await end(child, "SIGTERM");
  const db = new Database(join(folder, "data", "sightline.db"));
  db.exec("INSERT INTO migrations VALUES (999, '999-future.sql', 0)");
  db.close();
  const said = await expectRefusal(start());
  expect(said).toMatch(/written by a newer Sightline \(it holds 999-future\.sql\)\.\nUpdate Sightline, or /);
});

test("a damaged database is named", async () => {
  const { child } = await expectAddress(start());
  await end(child, "SIGTERM");
  writeFileSync(
    join(folder, "data", "sightline.db"),
    "this is not a database, whatever its name says".repeat(100),
  );
  expect(await expectRefusal(start())).toContain("is damaged");
});

test.each([
  ["a file in the place of the folder", ["--data", "/dev/null"], "/dev/null can't be a data folder"],
  ["a folder that nobody may write", ["--data", "/proc/sightline"], "/proc/sightline can't be a data folder"],
  ["a folder that only the system writes", ["--data", "/sys/kernel"], "may not write to /sys/kernel"],
  ["an unknown option", ["--prot", "1"], "Unknown option '--prot'"],
  ["a port that is none", ["--port", "80x"], 'not "80x"'],
  ["a listed folder that isn't there", ["--folder", "/nothing/here"], "--folder names /nothing/here"],
  ["an address that others reach", ["--host", "0.0.0.0"], "--host takes a loopback address"],
])("%s gets one clear message", async (_case, options, message) => {
  expect(await expectRefusal(start(...options))).toContain(message);
});

test("--help lists the options", async () => {
  const result = await start("--help");
  expect("said" in result && [result.code, result.said]).toEqual([0, expect.stringContaining("--data DIR")]);
});
