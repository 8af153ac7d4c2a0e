import type { StageSpec } from "../runs/types.ts";

/** A schedule that people know by name. */
export type SchedulePreset = { schedule: string; title: string; summary: string; stages: StageSpec[] };

const control = (name: string, format: number, accuracy: number, consistency: number): StageSpec[] => [
  { name, weights: { format, accuracy, consistency }, from_epoch: 0, to_epoch: 12 },
];

/**
 * Schedules by format : accuracy : consistency.
 *
 * @see Embodied-R, section 3.3 (three stages over 12 epochs); its released scripts (fixed weights, 2 epochs)
 */
export const SCHEDULE_PRESETS: readonly SchedulePreset[] = [
  {
    schedule: "paper",
    title: "Three stages, as in the paper",
    summary:
      "7:3:0 for epochs 1–2, 3:7:0 for 3–4, 1:7:2 for 5–12: first form, then answers, then reasoning that fits them.",
    stages: [
      { name: "format", weights: { format: 7, accuracy: 3, consistency: 0 }, from_epoch: 0, to_epoch: 2 },
      { name: "accuracy", weights: { format: 3, accuracy: 7, consistency: 0 }, from_epoch: 2, to_epoch: 4 },
      {
        name: "consistency",
        weights: { format: 1, accuracy: 7, consistency: 2 },
        from_epoch: 4,
        to_epoch: 12,
      },
    ],
  },
  {
    schedule: "released",
    title: "Fixed, as in the released code",
    summary: "Format 0.1, accuracy 0.7, consistency 0.2 throughout 2 epochs: the paper's last stage only.",
    stages: [
      {
        name: "fixed",
        weights: { format: 0.1, accuracy: 0.7, consistency: 0.2 },
        from_epoch: 0,
        to_epoch: 2,
      },
    ],
  },
  {
    schedule: "control-1-7-2",
    title: "Control: 1:7:2 throughout",
    summary: "The paper's last stage for all 12 epochs, to see what the first two stages bring.",
    stages: control("fixed 1:7:2", 1, 7, 2),
  },
  {
    schedule: "control-3-7-0",
    title: "Control: 3:7:0 throughout",
    summary: "Format and accuracy only, to see what the consistency reward brings.",
    stages: control("fixed 3:7:0", 3, 7, 0),
  },
  {
    schedule: "control-7-3-0",
    title: "Control: 7:3:0 throughout",
    summary: "Mostly format for all 12 epochs.",
    stages: control("fixed 7:3:0", 7, 3, 0),
  },
  {
    schedule: "control-0-1-0",
    title: "Control: accuracy only",
    summary: "Nothing but the answer is rewarded.",
    stages: control("accuracy only", 0, 1, 0),
  },
];

/** A preset's stages by name; null when no such preset exists. */
export function schedulePreset(schedule: string): StageSpec[] | null {
  return SCHEDULE_PRESETS.find((preset) => preset.schedule === schedule)?.stages ?? null;
}
