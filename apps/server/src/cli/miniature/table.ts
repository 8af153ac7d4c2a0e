import type { ClipAnswers } from "./answer-clips.ts";
import { ARMS, SEEDS } from "./arms.ts";
import type { ClipRow } from "./look-at-clips.ts";
import { CLIP_VIEWS } from "./look-at-clips.ts";
import type { CellResult, Scores, Share } from "./results.ts";

/** All that the tables are made of. */
export type Miniature = {
  cells: readonly CellResult[];
  clips: readonly ClipRow[];
  answers: readonly ClipAnswers[];
};

/** 97.5 % quantile of Student's t, by degrees of freedom. */
const T_975: Readonly<Record<number, number>> = {
  1: 12.7062047,
  2: 4.30265273,
  3: 3.18244631,
  4: 2.77644511,
};

/**
 * Mean and half of a 95 % interval by Student's t over seeds; the half is null for fewer than two seeds.
 *
 * @throws RangeError for more seeds than the table of t holds.
 */
export function summariseSeeds(values: readonly number[]): { mean: number; half: number | null } {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n < 2) return { mean, half: null };
  const t = T_975[n - 1];
  if (t === undefined) throw new RangeError(`no t for ${n} seeds`);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  return { mean, half: t * Math.sqrt(variance / n) };
}

const rate = ({ n, hold }: Share) => hold / n;

type Measure = { title: string; of: (end: { in: Scores; out: Scores }) => number };

const MEASURES: readonly Measure[] = [
  { title: "accuracy", of: (end) => rate(end.in.accuracy) },
  { title: "accuracy, longer", of: (end) => rate(end.out.accuracy) },
  { title: "format", of: (end) => rate(end.in.format) },
  { title: "consistent, by rule", of: (end) => rate(end.in.stated) },
  { title: "consistent, longer", of: (end) => rate(end.out.stated) },
];

const last = (cell: CellResult) => cell.evaluations.at(-1) as CellResult["evaluations"][number];
const first = (cell: CellResult) => cell.evaluations[0] as CellResult["evaluations"][number];
const bySeed = (cells: readonly CellResult[], arm: string) =>
  cells.filter((cell) => cell.arm === arm).sort((a, b) => a.seed - b.seed);

/** The untrained policy and the arms, at the end of training. */
export function tabulateArms(cells: readonly CellResult[], arms: readonly string[]): string {
  const rows = [
    rowOf("warm start, untrained", bySeed(cells, arms[0] ?? "").map(first)),
    ...arms.map((arm) => rowOf(titleOf(arm), bySeed(cells, arm).map(last))),
  ];
  return asTable(["", "seeds", ...MEASURES.map(({ title }) => title)], rows);
}

function rowOf(title: string, ends: readonly { in: Scores; out: Scores }[]): string[] {
  return [title, String(ends.length), ...MEASURES.map(({ of }) => format(summariseSeeds(ends.map(of))))];
}

const titleOf = (arm: string) => ARMS.find((one) => one.arm === arm)?.title ?? arm;

/** Differences to a base at the end of training, paired by seed. */
export function tabulateDifferences(
  cells: readonly CellResult[],
  base: string,
  arms: readonly string[],
): string {
  const rows = arms.map((arm) => {
    const pairs = bySeed(cells, arm).flatMap((cell) => {
      const other = bySeed(cells, base).find(({ seed }) => seed === cell.seed);
      return other ? [[last(cell), last(other)] as const] : [];
    });
    const differences = MEASURES.map(({ of }) => summariseSeeds(pairs.map(([a, b]) => of(a) - of(b))));
    return [`${titleOf(arm)}, less ${titleOf(base)}`, String(pairs.length), ...differences.map(formatSigned)];
  });
  return asTable(["difference", "seeds", ...MEASURES.map(({ title }) => title)], rows);
}

/** One measure at the end of training, seed by seed. */
export function tabulateSeeds(cells: readonly CellResult[], title: string, arms: readonly string[]): string {
  const measure = MEASURES.find((one) => one.title === title);
  if (!measure) throw new RangeError(`there is no measure ${title}`);
  const row = (name: string, ends: readonly { in: Scores; out: Scores }[]) => [
    name,
    ...ends.map((end) => measure.of(end).toFixed(3)),
  ];
  const rows = [
    row("warm start, untrained", bySeed(cells, arms[0] ?? "").map(first)),
    ...arms.map((arm) => row(titleOf(arm), bySeed(cells, arm).map(last))),
  ];
  return asTable([title, ...SEEDS.map((seed) => `seed ${seed}`)], rows);
}

/** Means over seeds after every third of training. */
export function tabulateCourse(cells: readonly CellResult[], arms: readonly string[]): string {
  const steps = listSteps(cells, arms);
  const line = (title: string, arm: string, of: Measure["of"]) => [
    titleOf(arm),
    title,
    ...steps.map((step) => {
      const values = bySeed(cells, arm).flatMap(({ evaluations }) =>
        evaluations.filter((one) => one.step === step).map(of),
      );
      return format(summariseSeeds(values));
    }),
  ];
  const shown = MEASURES.filter(({ title }) => ["accuracy", "format", "consistent, by rule"].includes(title));
  const rows = shown.flatMap(({ title, of }) => arms.map((arm) => line(title, arm, of)));
  return asTable(["", "measure", ...steps.map((step) => `step ${step}`)], rows);
}

const listSteps = (cells: readonly CellResult[], arms: readonly string[]) =>
  bySeed(cells, arms[0] ?? "")[0]?.evaluations.map(({ step }) => step) ?? [];

const JUDGES = {
  paper: "paper",
  unconditional: "unconditional",
  letter_stripped: "letter-stripped",
} as const;

/** What each judge says of the right answers at the end, beside the rule. */
export function tabulateJudges(cells: readonly CellResult[], arms: readonly string[]): string {
  const names = Object.keys(JUDGES) as (keyof typeof JUDGES)[];
  const rows = arms.map((arm) => {
    const ends = bySeed(cells, arm).map(last);
    return [
      titleOf(arm),
      format(summariseSeeds(ends.map((end) => rate(end.in.stated)))),
      ...names.map((name) => format(summariseSeeds(ends.map((end) => rate(end.in.judged[name]))))),
    ];
  });
  return asTable(["", "by rule", ...names.map((name) => JUDGES[name])], rows);
}

const VIEW_TITLES = {
  off: "off: every sampled frame",
  on: "on: key-frames alone",
  on_chained: "on: key-frames, turns added up between them",
} as const;

/** Frames, accuracy and seconds of the clips, with key-frames and without. */
export function tabulateClips(clips: readonly ClipRow[], answers: readonly ClipAnswers[]): string {
  const rows = CLIP_VIEWS.map((view) => {
    const right = clips.filter((row) => row[view].rule === row.gold).length;
    const policy = answers.map((one) => one.right[view] / one.clips);
    const objects = view === "off" ? "objects_sampled" : "objects_kept";
    const seen = sum(clips.map((row) => row[objects])) / sum(clips.map((row) => row.objects_sampled));
    return [
      VIEW_TITLES[view],
      (sum(clips.map((row) => row[view].frames)) / clips.length).toFixed(1),
      formatShare(right / clips.length, clips.length),
      format(summariseSeeds(policy)),
      seen.toFixed(3),
      (sum(clips.map((row) => row.features_cpu_secs + row[view].cpu_secs)) / clips.length).toFixed(3),
      sum(clips.map((row) => row[view].broken)).toString(),
    ];
  });
  return asTable(
    [
      "key-frames",
      "frames a clip",
      "right by rule",
      "right by policy",
      "objects seen",
      "CPU-s a clip",
      "pairs lost",
    ],
    rows,
  );
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function formatShare(share: number, n: number): string {
  return `${share.toFixed(3)} ± ${(1.96 * Math.sqrt((share * (1 - share)) / n)).toFixed(3)}`;
}

function format({ mean, half }: { mean: number; half: number | null }): string {
  if (Number.isNaN(mean)) return "–";
  return half === null ? mean.toFixed(3) : `${mean.toFixed(3)} ± ${half.toFixed(3)}`;
}

function formatSigned({ mean, half }: { mean: number; half: number | null }): string {
  const text = `${mean < 0 ? "−" : "+"}${Math.abs(mean).toFixed(3)}`;
  if (half === null) return text;
  return `${text} ± ${half.toFixed(3)}${Math.abs(mean) > half ? " *" : ""}`;
}

function asTable(head: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}
