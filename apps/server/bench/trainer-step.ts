import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { makeBenchModel, median, PYTHON, pythonEnv, round } from "./lib/bench-model.ts";

/**
 * R1: what a GRPO step costs, ours against TRL's own trainer with the same settings and no judge. `pnpm bench trainer`.
 *
 * Two processes train the same steps from the same weights and take turns: each step of ours is compared with the same
 * step of TRL's, right before or after it, so that a machine that grows busier favours neither. Their losses must be
 * equal: then it was the same work. See lib/grpo_step.py.
 */

const STEPS = 32;
const TARGET = 1.03;
const SCRIPT = join(import.meta.dirname, "lib/grpo_step.py");

type Said = { secs: number | null } | { losses: number[] };

/** One of the two, which says something before each step. */
type Racer = { child: ChildProcess; hear(): Promise<Said>; go(): void };

const { model, questions, remove } = makeBenchModel();
const racers: Racer[] = [];
try {
  const plain = start("plain");
  const ours = start("ours");
  await Promise.all([plain.hear(), ours.hear()]);
  const pairs: { plain: number; ours: number }[] = [];
  for (let step = 1; step < STEPS; step += 1) {
    // Who goes first alternates; the first step, which wakes everything up, does not count.
    const first = step % 2 === 0 ? await takeStep(plain) : null;
    const mine = await takeStep(ours);
    const theirs = first ?? (await takeStep(plain));
    if (step > 1) pairs.push({ plain: theirs, ours: mine });
    process.stderr.write(`\rstep ${step}/${STEPS - 1}: ${theirs.toFixed(3)} → ${mine.toFixed(3)} CPU-s `);
  }
  const [theirLosses, ourLosses] = [await finish(plain), await finish(ours)];
  const ratios = pairs.map((pair) => pair.ours / pair.plain).sort((a, b) => a - b);
  const value = median(ratios);
  const isSameWork = String(theirLosses) === String(ourLosses);
  const quarter = (share: number) => round(ratios[Math.floor(share * (ratios.length - 1))] ?? Number.NaN);
  process.stderr.write("\n");
  console.log(
    JSON.stringify({
      id: "R1",
      value: round(value),
      unit: "ratio",
      target: `<= ${TARGET}`,
      ok: value <= TARGET && isSameWork,
      runs: pairs.length,
      spread: [quarter(0.25), quarter(0.75)],
      with: `CPU seconds of steps of 8 × 8 completions, in turns, median of pairs (spread: its quartiles); ${round(median(pairs.map((pair) => pair.plain)))} a step with plain TRL; losses ${isSameWork ? "equal to the last digit" : "DIFFER"}; one thread each`,
    }),
  );
} finally {
  for (const { child } of racers) child.kill("SIGKILL");
  remove();
}

function start(kind: "ours" | "plain"): Racer {
  const child = spawn(PYTHON, [SCRIPT, kind, model, questions, String(STEPS)], {
    env: pythonEnv(),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const racer: Racer = {
    child,
    async hear() {
      for (let line = await lines.next(); !line.done; line = await lines.next())
        if (line.value.startsWith("@step ")) return JSON.parse(line.value.slice(6));
      throw new Error(`${kind} ended before its last step; run lib/grpo_step.py ${kind} by hand to see why`);
    },
    go: () => child.stdin.write("\n"),
  };
  racers.push(racer);
  return racer;
}

async function takeStep({ go, hear }: Racer): Promise<number> {
  go();
  const said = await hear();
  if (!("secs" in said) || said.secs === null) throw new Error("a step did not say what it cost");
  return said.secs;
}

async function finish({ go, hear }: Racer): Promise<number[]> {
  go();
  const said = await hear();
  if (!("losses" in said)) throw new Error("training went on beyond its last step");
  return said.losses;
}
