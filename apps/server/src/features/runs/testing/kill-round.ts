import { join } from "node:path";
import { type Follower, followRuns, oneTo, stepsInForce } from "./follower.ts";
import { holdAgainstDisk } from "./hold.ts";
import { smallRun } from "./launch.ts";
import { attemptProcesses, kill, processesOf } from "./processes.ts";
import { makeDataDir, type ServerProcess, spawnServer } from "./servers.ts";

export const VICTIMS = ["server", "supervisor", "trainer"] as const;
export type Victim = (typeof VICTIMS)[number];

/** Alone and in pairs. */
export const VICTIM_SETS: readonly (readonly Victim[])[] = [
  ["server"],
  ["supervisor"],
  ["trainer"],
  ["server", "supervisor"],
  ["server", "trainer"],
  ["supervisor", "trainer"],
];

export type KillRound = {
  victims: readonly Victim[];
  /** Milliseconds from `from`: the press of the button, or the moment at which the trainer named itself. */
  at_ms: number;
  from: "launch" | "start";
  /** How long a killed server stays away. */
  down_ms: number;
  steps: number;
  steps_per_sec: number;
};

export type KillResult = KillRound & {
  attempts: number;
  /** Faults, in sentences; none when nothing was lost, doubled or left behind. */
  faults: string[];
};

/**
 * Launches a simulated run on a real server, kills the victims with SIGKILL, brings back what a person would bring back
 * (the server; the run by Resume where its trainer died) and holds what arrived against what lies on the disk.
 */
export async function killRound(round: KillRound): Promise<KillResult> {
  const { dataDir, remove } = makeDataDir("kills");
  const faults: string[] = [];
  let server: ServerProcess | null = null;
  let follower: Follower | null = null;
  try {
    server = await spawnServer(dataDir);
    const { port } = server;
    const request = smallRun({
      steps_per_sec: round.steps_per_sec,
      max_steps: round.steps,
      steps_per_epoch: Math.ceil(round.steps / 4),
    });
    const launched = Date.now();
    const { run_id } = await server.client.runs.launch.mutate(request);
    follower = followRuns(server.client, [run_id]);
    const { client } = server;

    if (round.from === "start")
      while (!attemptProcesses(dataDir, run_id, 1)?.trainer && Date.now() - launched < 30_000) await sleep(5);
    await sleep(round.from === "start" ? round.at_ms : round.at_ms - (Date.now() - launched));
    const processes = attemptProcesses(dataDir, run_id, 1);
    for (const victim of round.victims) {
      if (victim === "server") await server.kill();
      else if (processes) kill(processes[victim]);
    }
    if (round.victims.includes("server")) {
      await sleep(round.down_ms);
      server = await spawnServer(dataDir, port);
    }

    for (let resumed = 0; resumed < 3; resumed++) {
      await follower.until(
        "an end",
        (at) => isEnd(at.run(run_id)?.state, resumed, at.run(run_id)?.attempts),
        60_000,
      );
      if (follower.run(run_id)?.state === "done") break;
      const { resumable } = await client.runs.get.query({ run_id });
      if (!resumable) break;
      await client.runs.resume.mutate({ run_id });
    }
    const run = follower.run(run_id);
    if (run?.state !== "done") faults.push(`it ended as ${run?.state}: ${run?.problem}`);
    await follower
      .until("the last step", (at) => (at.series(run_id)?.step ?? 0) >= round.steps, 5000)
      .catch(() => undefined);
    await sleep(300);

    const steps = stepsInForce(follower.series(run_id));
    if (steps.join() !== oneTo(round.steps).join()) faults.push(`the page holds steps ${steps.join()}`);
    if (new Set(follower.ids).size !== follower.ids.length) faults.push("rows came twice");
    const late = followRuns(client, [run_id]);
    await late.until("the past", (at) => at.ids.length > 0);
    await sleep(300);
    late.stop();
    if (late.ids.join() !== follower.ids.join())
      faults.push(`a late follower sees ${late.ids.length} rows, the early one ${follower.ids.length}`);
    follower.stop();
    await server.kill();
    server = null;
    faults.push(...holdAgainstDisk(dataDir, join(dataDir, "runs"), run_id));
    await sleep(500);
    const left = processesOf(dataDir);
    if (left.length > 0) faults.push(`processes ${left.join()} are left`);
    return { ...round, attempts: run?.attempts ?? 0, faults };
  } finally {
    follower?.stop();
    await server?.kill();
    await remove();
  }
}

function isEnd(state: string | undefined, resumed: number, attempts = 0): boolean {
  return attempts > resumed && ["done", "stopped", "interrupted", "failed", "lost"].includes(state ?? "");
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
