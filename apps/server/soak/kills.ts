import { findPython } from "../src/executors/local.ts";
import { whyNoSshd } from "../src/executors/testing/sshd.ts";
import { killRound, SSH_VICTIM_SETS, VICTIM_SETS } from "../src/features/runs/testing/kill-round.ts";

/**
 * Kills server, supervisor, trainer and link, alone and in pairs, at random moments:
 * `pnpm soak kills [ROUNDS] [SEED] [--tiny]`. Every second round is on an SSH host, with `--tiny` all are.
 */

const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const isTiny = process.argv.includes("--tiny");
const rounds = Number(words[0] ?? (isTiny ? 5 : 50));
let state = Number(words[1] ?? Date.now() % 1_000_000);
const seed = state;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

const why = whyNoSshd();
if (why !== null) console.error(`On this machine alone: ${why}`);
const python = process.env.SIGHTLINE_TRAINER_PYTHON ?? (await findPython(process.env.PATH ?? ""));

let failed = 0;
const begun = performance.now();
for (let round = 0; round < rounds; round++) {
  const host = why === null && (isTiny || round % 2 === 1) ? "ssh" : "local";
  const sets = host === "ssh" ? SSH_VICTIM_SETS : VICTIM_SETS;
  const at = isTiny ? [0, 2, 3, 8, 6][round % 5] : Math.floor(round / 2);
  const result = await killRound({
    host,
    engine: isTiny ? { kind: "tiny", python } : { kind: "simulator", steps_per_sec: 20 },
    victims: sets[(at ?? 0) % sets.length] ?? [],
    at_ms: Math.round(random() * (isTiny ? 25_000 : 3500)),
    from: round % 4 === 3 ? "launch" : "start",
    down_ms: Math.round(random() * 1500),
    steps: isTiny ? 24 : 60,
  });
  if (result.faults.length > 0) failed += 1;
  console.error(
    `${String(round + 1).padStart(3)}/${rounds} ${result.faults.length === 0 ? "✓" : "✗"} ${host.padEnd(5)} ${result.victims.join("+").padEnd(18)} at ${result.at_ms} ms after the ${result.from}, ${result.attempts} attempts ${result.faults.join("; ").slice(0, 500)}`,
  );
}
console.log(
  JSON.stringify({
    id: isTiny ? "kills.tiny" : "kills",
    value: failed,
    unit: "rounds in which something was lost, doubled or left behind",
    target: "= 0",
    ok: failed === 0,
    runs: rounds,
    seed,
    secs: Math.round((performance.now() - begun) / 1000),
    with: `SIGKILL of server, supervisor, trainer${why === null ? " and SSH link" : ""}, alone and in pairs, at random moments of a ${isTiny ? "real run of the tiny trainer, 24 steps" : "simulated run of 60 steps"}`,
  }),
);
process.exitCode = failed === 0 ? 0 : 1;
