import { killRound, VICTIM_SETS } from "../src/features/runs/testing/kill-round.ts";

/** Kills server, supervisor and trainer, alone and in pairs, at random moments: `pnpm soak kills [ROUNDS] [SEED]`. */

const rounds = Number(process.argv[2] ?? 50);
let state = Number(process.argv[3] ?? Date.now() % 1_000_000);
const seed = state;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};

let failed = 0;
const begun = performance.now();
for (let round = 0; round < rounds; round++) {
  const result = await killRound({
    victims: VICTIM_SETS[round % VICTIM_SETS.length] ?? [],
    at_ms: Math.round(random() * 3500),
    from: round % 4 === 3 ? "launch" : "start",
    down_ms: Math.round(random() * 1500),
    steps: 60,
    steps_per_sec: 20,
  });
  if (result.faults.length > 0) failed += 1;
  console.error(
    `${String(round + 1).padStart(3)}/${rounds} ${result.faults.length === 0 ? "✓" : "✗"} ${result.victims.join("+").padEnd(18)} at ${result.at_ms} ms after the ${result.from}, ${result.attempts} attempts ${result.faults.join("; ").slice(0, 500)}`,
  );
}
console.log(
  JSON.stringify({
    id: "kills",
    value: failed,
    unit: "rounds in which something was lost, doubled or left behind",
    target: "= 0",
    ok: failed === 0,
    runs: rounds,
    seed,
    secs: Math.round((performance.now() - begun) / 1000),
    with: "SIGKILL of server, supervisor, trainer, alone and in pairs, at random moments of a simulated run of 60 steps",
  }),
);
process.exitCode = failed === 0 ? 0 : 1;
