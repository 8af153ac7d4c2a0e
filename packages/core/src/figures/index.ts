/**
 * What is known of the training figures of Embodied-R (Fig. 5 a–f). Values were read off the figure as the project
 * page shows it; the paper publishes no numbers for its curves.
 */

/** A value read from a figure: between `low` and `high`, each ± the reading error of its curve. */
export type PaperPoint = { step: number; low: number; high: number };

export type PaperCurve = {
  points: readonly PaperPoint[];
  /** Reading error, in the curve's own unit. */
  error: number;
};

/** Steps of the paper's run at which a stage begins, and its end: 7:3:0, 3:7:0, 1:7:2; about 1,270 steps an epoch. */
export const PAPER_STAGES = [0, 2540, 5080, 15_240] as const;

const at = (step: number, low: number, high = low): PaperPoint => ({ step, low, high });

/** Figures a to d, over steps. Between the points nothing was read, and a line there is only a guide to the eye. */
export const PAPER_CURVES = {
  accuracy: {
    error: 0.02,
    points: [
      at(0, 0.27),
      at(2500, 0.43),
      at(4300, 0.55, 0.59),
      at(6000, 0.48, 0.5),
      at(9500, 0.65),
      at(15_000, 0.65, 0.72),
    ],
  },
  format: { error: 0.02, points: [at(0, 0.53), at(400, 1), at(15_240, 1)] },
  consistency: {
    error: 0.02,
    points: [at(0, 0), at(5079, 0), at(5080, 0.5), at(6000, 0.95), at(15_240, 0.99)],
  },
  length: {
    error: 5,
    points: [at(0, 205), at(2600, 190), at(3800, 145), at(5100, 130), at(6000, 105), at(15_240, 105)],
  },
} as const satisfies Record<string, PaperCurve>;

/** Share of logically consistent outputs on the test set, judged by GPT-4o: without and with the consistency reward. */
export const PAPER_CONSISTENT = { without: 0.4601, with: 0.9943 } as const;

/**
 * Where a step of the paper's run lies on another run: at the same place within its stage where the run has three
 * stages, else at the same share of the whole.
 *
 * @param borders  Steps of the run at which its stages begin, and its last step; rising.
 */
export function placePaperStep(step: number, borders: readonly number[]): number {
  const [first = 0, last = 1] = [borders[0], borders.at(-1)];
  const from = borders.length === PAPER_STAGES.length ? PAPER_STAGES : [0, 15_240];
  const to = borders.length === PAPER_STAGES.length ? borders : [first, last];
  let at = 0;
  while (at < from.length - 2 && step >= (from[at + 1] ?? 0)) at += 1;
  const [a = 0, b = 1, x = 0, y = 1] = [from[at], from[at + 1], to[at], to[at + 1]];
  return x + ((step - a) / (b - a)) * (y - x);
}
