import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { makeBenchModel, median, PYTHON, pythonEnv, round } from "./lib/bench-model.ts";

/**
 * R1: what a GRPO step costs, ours against TRL's own trainer with the same settings and no judge. `pnpm bench trainer`.
 *
 * Both train the same steps from the same weights, one right after the other, several times over; who goes first
 * alternates. Their losses must be equal: then it was the same work. See lib/grpo_step.py.
 */

const STEPS = 11;
const ROUNDS = 5;
const TARGET = 1.03;
const SCRIPT = join(import.meta.dirname, "lib/grpo_step.py");

type Cost = { secs: number[]; losses: number[] };

const { model, questions, remove } = makeBenchModel();
try {
  const train = (kind: "ours" | "plain"): Cost => {
    const words = [SCRIPT, kind, model, questions, String(STEPS)];
    const text = execFileSync(PYTHON, words, {
      env: pythonEnv(),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return JSON.parse(text.trim().split("\n").at(-1) ?? "");
  };
  const pairs = Array.from({ length: ROUNDS }, (_, index) => {
    const first = train(index % 2 === 0 ? "plain" : "ours");
    const second = train(index % 2 === 0 ? "ours" : "plain");
    const [plain, ours] = index % 2 === 0 ? [first, second] : [second, first];
    console.error(`round ${index + 1}: ${sum(plain.secs).toFixed(2)} → ${sum(ours.secs).toFixed(2)} CPU-s`);
    return { plain, ours };
  });
  const ratios = pairs.map(({ plain, ours }) => sum(ours.secs) / sum(plain.secs)).sort((a, b) => a - b);
  const value = median(ratios);
  const isSameWork = pairs.every(({ plain, ours }) => String(plain.losses) === String(ours.losses));
  const perStep = median(pairs.flatMap(({ plain }) => plain.secs));
  console.log(
    JSON.stringify({
      id: "R1",
      value: round(value),
      unit: "ratio",
      target: `<= ${TARGET}`,
      ok: value <= TARGET && isSameWork,
      runs: ROUNDS,
      spread: [ratios[0], ratios.at(-1)].map((one) => round(one ?? 0)),
      with: `CPU seconds of ${STEPS - 1} steps of 8 × 8 completions, ${round(perStep)} a step with plain TRL; losses ${isSameWork ? "equal to the last digit" : "DIFFER"}; one thread`,
    }),
  );
} finally {
  remove();
}

function sum(list: readonly number[]): number {
  return list.reduce((total, one) => total + one, 0);
}
