import { join } from "node:path";
import { attachSshd } from "../../../executors/testing/attach.ts";
import { endProcess, type Sshd, startSshd } from "../../../executors/testing/sshd.ts";
import { freePort } from "../../../testing/free-port.ts";
import { type Follower, followRuns, oneTo, stepsInForce } from "./follower.ts";
import { holdAgainstDisk } from "./hold.ts";
import { shortTinyRun, smallRun } from "./launch.ts";
import { attemptProcesses, kill, processesOf } from "./processes.ts";
import { makeDataDir, type ServerProcess, spawnServer } from "./servers.ts";

export const VICTIMS = ["server", "supervisor", "trainer", "link"] as const;
export type Victim = (typeof VICTIMS)[number];

/** Alone and in pairs, on this machine, where there is no link. */
export const VICTIM_SETS: readonly (readonly Victim[])[] = [
  ["server"],
  ["supervisor"],
  ["trainer"],
  ["server", "supervisor"],
  ["server", "trainer"],
  ["supervisor", "trainer"],
];

/** Alone and in pairs, on a host that is reached by SSH. */
export const SSH_VICTIM_SETS: readonly (readonly Victim[])[] = VICTIMS.flatMap((one, index) => [
  [one],
  ...VICTIMS.slice(index + 1).map((other): readonly Victim[] => [one, other]),
]);

export type KillRound = {
  /** Where the run is: on this machine, or on an SSH host that an sshd on loopback plays. */
  host: "local" | "ssh";
  /** What trains: the simulator, or the tiny preset cut short, for which an interpreter must be named. */
  engine: { kind: "simulator"; steps_per_sec: number } | { kind: "tiny"; python: string };
  victims: readonly Victim[];
  /** Milliseconds from `from`: the press of the button, or the moment at which the trainer named itself. */
  at_ms: number;
  from: "launch" | "start";
  /** How long a killed server, or a host whose link was cut, stays away. */
  down_ms: number;
  steps: number;
};

export type KillResult = KillRound & {
  attempts: number;
  /** Faults, in sentences; none when nothing was lost, doubled or left behind. */
  faults: string[];
};

/**
 * Launches a run on a real server, kills the victims with SIGKILL, brings back what a person would bring back
 * (the server; the run by Resume where its trainer died) and holds what arrived against what lies on the disk.
 */
export async function killRound(round: KillRound): Promise<KillResult> {
  const { dataDir, remove } = makeDataDir("kills");
  const faults: string[] = [];
  let server: ServerProcess | null = null;
  let follower: Follower | null = null;
  let sshd: Sshd | null = null;
  const before = process.env.SIGHTLINE_SSH_CONFIG;
  try {
    if (round.host === "ssh") {
      sshd = await startSshd("kills");
      process.env.SIGHTLINE_SSH_CONFIG = sshd.client_config;
    }
    /** The folder in which `runs` lies, where the run is. */
    const place = sshd?.home ?? dataDir;
    server = await spawnServer(dataDir, await freePort());
    const { port } = server;
    const host_id = sshd === null ? "local" : await attachSshd(server.client, sshd, join(place, "runs"));
    if (sshd !== null && round.engine.kind === "tiny") await adopt(server, host_id, round.engine.python);
    const request =
      round.engine.kind === "tiny"
        ? shortTinyRun(round.steps)
        : smallRun({
            steps_per_sec: round.engine.steps_per_sec,
            max_steps: round.steps,
            steps_per_epoch: Math.ceil(round.steps / 4),
          });
    const launched = Date.now();
    const { run_id } = await server.client.runs.launch.mutate({ ...request, host_id });
    follower = followRuns(server.client, [run_id]);
    const { client } = server;

    if (round.from === "start")
      while (!attemptProcesses(place, run_id, 1)?.trainer && Date.now() - launched < 90_000) await sleep(5);
    await sleep(round.from === "start" ? round.at_ms : round.at_ms - (Date.now() - launched));
    const processes = attemptProcesses(place, run_id, 1);
    for (const victim of round.victims) {
      if (victim === "server") await server.kill();
      else if (victim === "link") await cutLink(sshd, round.down_ms);
      else if (processes) kill(processes[victim]);
    }
    if (round.victims.includes("server") || sshd?.pid() === 0) await sleep(round.down_ms);
    if (sshd?.pid() === 0) await sshd.start();
    if (round.victims.includes("server")) server = await spawnServer(dataDir, port);

    for (let resumed = 0; resumed < 3; resumed++) {
      await follower.until(
        "an end",
        (at) => isEnd(at.run(run_id)?.state, resumed, at.run(run_id)?.attempts),
        180_000,
      );
      if (follower.run(run_id)?.state === "done") break;
      const { resumable } = await client.runs.get.query({ run_id });
      if (!resumable) break;
      await client.runs.resume.mutate({ run_id });
    }
    const run = follower.run(run_id);
    if (run?.state !== "done") faults.push(`it ended as ${run?.state}: ${run?.problem}`);
    await follower
      .until("the last step", (at) => (at.series(run_id)?.step ?? 0) >= round.steps, 20_000)
      .catch(() => undefined);

    const steps = stepsInForce(follower.series(run_id));
    if (steps.join() !== oneTo(round.steps).join()) faults.push(`the page holds steps ${steps.join()}`);
    if (new Set(follower.ids).size !== follower.ids.length) faults.push("rows came twice");
    const late = followRuns(client, [run_id]);
    const early = follower;
    await late
      .until("the whole past", (at) => at.ids.join() === early.ids.join(), 20_000)
      .catch(() => undefined);
    late.stop();
    if (late.ids.join() !== follower.ids.join())
      faults.push(`a late follower sees ${late.ids.length} rows, the early one ${follower.ids.length}`);
    follower.stop();
    await server.kill();
    server = null;
    faults.push(...holdAgainstDisk(dataDir, join(place, "runs"), run_id));
    await sshd?.stop();
    const folder = sshd?.folder;
    const look = () => [...processesOf(dataDir), ...(folder === undefined ? [] : processesOf(folder))];
    let left = look();
    for (let tries = 0; left.length > 0 && tries < 100; tries++) {
      await sleep(200);
      left = look();
    }
    if (left.length > 0) faults.push(`processes ${left.join()} are left`);
    return { ...round, attempts: run?.attempts ?? 0, faults };
  } finally {
    follower?.stop();
    await server?.kill();
    await sshd?.remove();
    await remove();
    if (before === undefined) delete process.env.SIGHTLINE_SSH_CONFIG;
    else process.env.SIGHTLINE_SSH_CONFIG = before;
  }
}

/** Half of the cuts take the host away for a while; the others end its connections, which may come back at once. */
async function cutLink(sshd: Sshd | null, down_ms: number) {
  if (down_ms % 2 === 0) await sshd?.stop();
  else for (const pid of sshd?.sessions() ?? []) endProcess(pid);
}

async function adopt({ client }: ServerProcess, host_id: string, python: string) {
  await client.hosts.prepare.mutate({ host_id, profile: "adopt", python });
  for (;;) {
    await sleep(300);
    const environment = (await client.hosts.list.query()).find(
      (host) => host.host_id === host_id,
    )?.environment;
    if (environment?.state === "ready") return;
    if (environment?.problem) throw new Error(environment.problem);
  }
}

function isEnd(state: string | undefined, resumed: number, attempts = 0): boolean {
  return attempts > resumed && ["done", "stopped", "interrupted", "failed", "lost"].includes(state ?? "");
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
