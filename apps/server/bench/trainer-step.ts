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
 *
 * A process is some hundredths faster or slower than another of the same program as long as it lives, by where its
 * memory happens to lie. So several pairs of processes are raced, and the figure is the median over the pairs.
 */

const PAIRS = 5;
const STEPS = 16;
const TARGET = 1.03;
const SCRIPT = join(import.meta.dirname, "lib/grpo_step.py");

type Said = { secs: number | null } | { losses: number[] };

/** Ours to plain TRL's, of one pair of processes; `secs` of a step with plain TRL. */
type Race = { ratio: number; secs: number; losses: { plain: string; ours: string } };

/** One of the two, which says something before each step. */
type Racer = { child: ChildProcess; hear(): Promise<Said>; go(): void };

const { model, questions, remove } = makeBenchModel();
try {
  const races: Race[] = [];
  for (let number = 1; number <= PAIRS; number += 1) races.push(await race(number));
  const ratios = races.map(({ ratio }) => ratio).sort((a, b) => a - b);
  const value = median(ratios);
  const isSameWork = races.every(({ losses }) => losses.ours === losses.plain);
  console.log(
    JSON.stringify({
      id: "R1",
      value: round(value),
      unit: "ratio",
      target: `<= ${TARGET}`,
      ok: value <= TARGET && isSameWork,
      runs: PAIRS,
      spread: [ratios[0], ratios.at(-1)].map((ratio) => round(ratio ?? Number.NaN)),
      with: `CPU seconds of steps of 8 × 8 completions, ${STEPS - 2} of each in turns, median of a pair of processes, median of ${PAIRS} pairs; ${round(median(races.map(({ secs }) => secs)))} a step with plain TRL; losses ${isSameWork ? "equal to the last digit" : "DIFFER"}; one thread each`,
    }),
  );
} finally {
  remove();
}

/** One pair of processes, from start to end. */
async function race(number: number): Promise<Race> {
  const plain = start("plain");
  const ours = start("ours");
  try {
    await Promise.all([plain.hear(), ours.hear()]);
    const steps: { plain: number; ours: number }[] = [];
    for (let step = 1; step < STEPS; step += 1) {
      // Who goes first alternates; the first step, which wakes everything up, does not count.
      const first = (step + number) % 2 === 0 ? await takeStep(plain) : null;
      const mine = await takeStep(ours);
      const theirs = first ?? (await takeStep(plain));
      if (step > 1) steps.push({ plain: theirs, ours: mine });
      process.stderr.write(
        `\rpair ${number}, step ${step}/${STEPS - 1}: ${theirs.toFixed(3)} → ${mine.toFixed(3)} CPU-s `,
      );
    }
    const ratio = median(steps.map((pair) => pair.ours / pair.plain));
    const secs = median(steps.map((pair) => pair.plain));
    process.stderr.write(
      `\rpair ${number}: ${ratio.toFixed(3)}, ${secs.toFixed(3)} CPU-s with plain TRL${" ".repeat(20)}\n`,
    );
    return { ratio, secs, losses: { plain: String(await finish(plain)), ours: String(await finish(ours)) } };
  } finally {
    for (const { child } of [plain, ours]) child.kill("SIGKILL");
  }
}

function start(kind: "ours" | "plain"): Racer {
  const child = spawn(PYTHON, [SCRIPT, kind, model, questions, String(STEPS)], {
    env: pythonEnv(),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    async hear() {
      for (let line = await lines.next(); !line.done; line = await lines.next())
        if (line.value.startsWith("@step ")) return JSON.parse(line.value.slice(6));
      throw new Error(`${kind} ended before its last step; run lib/grpo_step.py ${kind} by hand to see why`);
    },
    go: () => child.stdin.write("\n"),
  };
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
