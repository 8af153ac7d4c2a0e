import type { LineOf } from "../wire/index.ts";
import { completionLine, endLine, metricsLine, stageLine, startLine } from "./run-lines.ts";

/**
 * Runs of any size for benchmarks: invented numbers and texts in the shape of real ones. The same seed gives the same
 * lines. Everything says so: `versions.engine` is "synthetic", question ids begin with "synthetic-".
 */

/** The twenty metrics of a synthetic run, by TRL's own names. */
export const SYNTHETIC_METRICS = [
  "loss",
  "grad_norm",
  "learning_rate",
  "num_tokens",
  "step_time",
  "reward",
  "reward_std",
  "frac_reward_zero_std",
  "entropy",
  "kl",
  "completions/mean_length",
  "completions/min_length",
  "completions/max_length",
  "completions/clipped_ratio",
  "rewards/format/mean",
  "rewards/format/std",
  "rewards/accuracy/mean",
  "rewards/accuracy/std",
  "rewards/consistency/mean",
  "rewards/consistency/std",
] as const;

const STAGES = [
  { format: 7, accuracy: 3, consistency: 0 },
  { format: 3, accuracy: 7, consistency: 0 },
  { format: 1, accuracy: 7, consistency: 2 },
] as const;

const TASKS = [
  "heading",
  "route",
  "relative_direction",
  "object_order",
  "count",
  "landmark",
  "distance",
  "action",
];
const LETTERS = ["A", "B", "C", "D"] as const;
const THINGS =
  "bench kiosk doorway stairs fountain tree railing van crossing lamp statue bicycle fence sign".split(" ");
const MOVES = ["turned left", "turned right", "moved forward", "stopped", "turned around"];
const SIDES = ["on the left", "on the right", "behind", "in front", "far ahead"];

/** A word that one completion in about five thousand holds. */
export const RARE_WORD = "zeppelin";

/** Numbers in [0, 1) from a seed, by Mulberry32. */
export function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * The event lines of a finished run, in order.
 *
 * @param steps  Training steps, one metrics line each, with all of `SYNTHETIC_METRICS`; three stages of equal length.
 */
export function* syntheticEvents(run: { run_id: string; seed: number; steps: number }) {
  const { run_id, seed, steps } = run;
  const random = makeRandom(seed);
  let seq = 0;
  const where = () => {
    seq += 1;
    return { run_id, seq, time_secs: 1_760_000_000 + seq };
  };
  yield { ...startLine(where()), versions: { engine: "synthetic" } };
  const pace = 2 + random() * 3;
  for (let step = 1; step <= steps; step++) {
    const stage = STAGES.findIndex((_, k) => step === Math.floor((k * steps) / STAGES.length) + 1);
    const weights = STAGES[stage];
    if (weights) yield stageLine(where(), stage, step, weights);
    const learned = 1 - Math.exp((-pace * step) / steps);
    const noise = () => (random() - 0.5) * 0.3;
    const values: LineOf<"metrics">["values"] = {};
    for (const [k, name] of SYNTHETIC_METRICS.entries()) {
      const level = name.startsWith("completions/")
        ? 80 + 100 * learned
        : name === "learning_rate"
          ? 1e-5
          : learned;
      values[name] = level * (1 + noise()) + (random() < 0.0005 ? level * (k + 1) : 0);
    }
    if (random() < 0.0005) values.loss = "NaN";
    yield { ...metricsLine(where(), step, values), max_steps: steps };
  }
  yield endLine(where(), steps);
}

/**
 * Completions of a run in the order of its steps, about 900 characters each: `groups` prompts a step, `group_size`
 * samples of each. Some are cut, have a tag too few or too many, or were not judged.
 */
export function* syntheticCompletions(run: {
  run_id: string;
  seed: number;
  steps: number;
  groups: number;
  group_size: number;
}): Generator<LineOf<"completion">> {
  const { run_id, seed, steps, groups, group_size } = run;
  const random = makeRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let seq = 0;
  for (let step = 1; step <= steps; step++) {
    const skill = 0.3 + (0.6 * step) / steps;
    for (let g = 0; g < groups; g++) {
      const task = pick(TASKS);
      const gold = pick(LETTERS);
      const isTied = random() < 0.2;
      const isRightAll = random() < skill;
      for (let k = 0; k < group_size; k++) {
        seq += 1;
        const isRight = isTied ? isRightAll : random() < skill;
        const letter = isRight ? gold : pick(LETTERS.filter((one) => one !== gold));
        const fault = isTied ? 1 : random();
        const think = writeReasoning(random, letter);
        const text =
          fault < 0.02
            ? think
            : fault < 0.03
              ? `<think>${think}</think><think>Again.</think><answer>${letter}</answer>`
              : `<think>${think}</think>\n<answer>${letter}</answer>`;
        const isRead = fault >= 0.02;
        const answerAt = text.lastIndexOf("<answer>") + 8;
        const format = fault < 0.03 ? 0 : 1;
        const accuracy = isRead && isRight ? 1 : 0;
        const agrees = random() < 0.7 + 0.2 * skill;
        const judgeFailed = random() < 0.01;
        yield completionLine(
          { run_id, seq, time_secs: 1_760_000_000 + step },
          {
            gen: step,
            step,
            epoch: step / steps,
            stage: Math.min(2, Math.floor(((step - 1) * 3) / steps)),
            group_id: `g${step}-${g}`,
            question_id: `synthetic-${(step * 31 + g * 7) % 4001}`,
            task,
            k,
            group_size,
            prompt: k === 0 ? `Synthetic question about the ${pick(THINGS)}. Which way?` : null,
            gold,
            text,
            tokens: Math.round(text.length / 4),
            finish: fault >= 0.03 && fault < 0.05 ? "length" : "eos",
            parse: {
              think: isRead ? [7, 7 + think.length] : null,
              answer: isRead ? [answerAt, answerAt + 1] : null,
              letter: isRead ? letter : null,
              rule: isRead ? "answer_tag" : "none",
            },
            rewards: {
              format: { raw: format, weight: 0.3, null_reason: null },
              accuracy: { raw: accuracy, weight: 0.7, null_reason: null },
              consistency: {
                raw: accuracy === 1 && agrees && !judgeFailed ? 1 : 0,
                weight: 0,
                null_reason: null,
              },
            },
            reward: 0.3 * format + 0.7 * accuracy,
            advantage: isTied ? 0 : accuracy - skill,
            judges: [
              {
                variant: "as_written",
                letter: agrees ? letter : "A",
                agrees: accuracy === 1 && !judgeFailed ? agrees : null,
                status: accuracy === 0 ? "skipped_wrong_answer" : judgeFailed ? "timeout" : "ok",
                ms: 3,
                cached: false,
              },
            ],
          },
        );
      }
    }
  }
}

function writeReasoning(random: () => number, letter: string): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  let text = "";
  for (let frame = 1; text.length < 820; frame++)
    text += `In Frame ${frame} I ${pick(MOVES)}, and the ${pick(THINGS)} is ${pick(SIDES)} of the ${pick(THINGS)}. `;
  if (random() < 1 / 5000) text += `A ${RARE_WORD} hangs over the ${pick(THINGS)}. `;
  return `${text}So the answer is ${letter}.`;
}

/**
 * One reasoning output of at least `chars` characters, numbered sentence by sentence so that a view that drops a part
 * can be told from one that does not; its last words are `THE END`.
 */
export function syntheticTrace(chars: number, seed = 1): string {
  const random = makeRandom(seed);
  const parts: string[] = [];
  let length = 0;
  for (let n = 1; length < chars; n++) {
    const part = `(${n}) ${writeReasoning(random, "B")}\n`;
    parts.push(part);
    length += part.length;
  }
  return `<think>${parts.join("")}THE END</think>\n<answer>B</answer>`;
}
