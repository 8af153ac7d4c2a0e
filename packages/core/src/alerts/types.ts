import { z } from "zod";
import type { AlertCurve } from "./curve.ts";

/** One number that a person may set of a rule. */
export type AlertParam = {
  name: string;
  label: string;
  help: string;
  fallback: number;
  min: number;
  max: number;
  step: number;
  is_whole: boolean;
  /** What it counts, where the label does not say so. */
  unit?: string;
};

const param = (
  name: string,
  label: string,
  help: string,
  fallback: number,
  [min, max, step]: readonly [min: number, max: number, step: number],
): AlertParam => ({ name, label, help, fallback, min, max, step, is_whole: false });
const whole = (name: string, label: string, help: string, fallback: number, most: number): AlertParam => ({
  ...param(name, label, help, fallback, [1, most, 1]),
  is_whole: true,
});
const share = (name: string, label: string, help: string, fallback: number): AlertParam =>
  param(name, label, help, fallback, [0, 1, 0.01]);
const MOST_STEPS = 1000;
const window = (help: string, fallback: number): AlertParam => ({
  ...whole("window", "Window", help, fallback, MOST_STEPS),
  unit: "steps",
});

/** The causes that a rule can look for, with what can be set of each. */
export const ALERT_KINDS = {
  non_finite: {
    title: "Non-finite value",
    summary: "Loss, gradient norm or another logged value is NaN or infinite.",
    params: [
      whole("steps", "Steps in a row", "So many rows with such a value, one after the other", 1, MOST_STEPS),
    ],
  },
  no_signal: {
    title: "No signal",
    summary: "Most groups have equal rewards, so that nothing is learned from them.",
    params: [
      window("Steps that the mean is taken over", 20),
      share("at_least", "Share at least", "Mean share of groups without a signal", 0.9),
    ],
  },
  saturated: {
    title: "Format saturated, accuracy flat",
    summary: "The format reward has nothing left to give and accuracy does not rise.",
    params: [
      window("Steps that the means are taken over", 60),
      share("format_at_least", "Format at least", "Mean of the format reward over the window", 0.97),
      share("accuracy_below", "Accuracy below", "A run that is this good has nothing to mend", 0.85),
      share("gain_below", "Gain below", "Accuracy of the window's second half less that of its first", 0.02),
    ],
  },
  length_drift: {
    title: "Length drift",
    summary: "Completions have become much longer or shorter than at the run's beginning.",
    params: [
      window("Steps that the means are taken over, at the beginning and now", 20),
      param(
        "factor",
        "Factor",
        "So many times longer or shorter than over the first steps",
        2,
        [1.05, 100, 0.1],
      ),
    ],
  },
  judge_failing: {
    title: "Judge failing",
    summary: "The judge times out, refuses or can't be read, so that consistency is not measured.",
    params: [
      window("Steps with calls that the share is taken over", 5),
      share("at_least", "Share at least", "Failed calls of all calls over the window", 0.5),
    ],
  },
  stalled: {
    title: "Stalled",
    summary: "The run has begun to train and writes nothing any more.",
    params: [
      param(
        "after_secs",
        "After seconds",
        "Silence; what the machine reports of itself does not count",
        600,
        [1, 86_400, 10],
      ),
    ],
  },
} as const satisfies Record<string, { title: string; summary: string; params: readonly AlertParam[] }>;

export type AlertKind = keyof typeof ALERT_KINDS;
export const ALERT_KIND_NAMES = Object.keys(ALERT_KINDS) as [AlertKind, ...AlertKind[]];

/** Which runs a rule looks at. */
export const AlertScope = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("all") }),
  z.object({ kind: z.literal("preset"), preset: z.string().min(1).max(80) }),
  z.object({ kind: z.literal("run"), run_id: z.string().min(1).max(80) }),
]);
export type AlertScope = z.infer<typeof AlertScope>;

/** What is looked for, in which runs, and who is told. */
export const AlertRule = z
  .object({
    name: z.string().trim().min(1, { error: "The rule needs a name." }).max(100),
    kind: z.enum(ALERT_KIND_NAMES),
    params: z.record(z.string().max(40), z.number()),
    scope: AlertScope,
    webhook_ids: z.array(z.string().max(100)).max(20),
  })
  .superRefine(({ kind, params }, { addIssue }) => {
    for (const fault of findParamFaults(kind, params)) addIssue({ code: "custom", message: fault });
  });
export type AlertRule = z.infer<typeof AlertRule>;

/** What decides whether a rule fires. */
export type AlertCause = Pick<AlertRule, "kind" | "params">;

/** What is wrong with the numbers of a rule, a sentence a fault; those that are left out have their fallback. */
export function findParamFaults(kind: AlertKind, params: Record<string, number>): string[] {
  const known: readonly AlertParam[] = ALERT_KINDS[kind].params;
  const faults = Object.keys(params)
    .filter((name) => !known.some((param) => param.name === name))
    .map((name) => `${ALERT_KINDS[kind].title} has no number called ${name}.`);
  for (const { name, label, min, max, is_whole } of known) {
    const value = params[name];
    if (value === undefined) continue;
    if (!Number.isFinite(value) || value < min || value > max)
      faults.push(`${label} is from ${min} to ${max}.`);
    else if (is_whole && !Number.isInteger(value)) faults.push(`${label} is a whole number.`);
  }
  return faults;
}

/** A number of a rule, or its fallback. */
export function readParam({ kind, params }: AlertCause, name: string): number {
  const known: readonly AlertParam[] = ALERT_KINDS[kind].params;
  return params[name] ?? known.find((param) => param.name === name)?.fallback ?? Number.NaN;
}

/** True when a rule looks at a run. */
export function isInScope(scope: AlertScope, run: { run_id: string; preset: string }): boolean {
  if (scope.kind === "all") return true;
  return scope.kind === "run" ? scope.run_id === run.run_id : scope.preset === run.preset;
}

/** One time at which the cause of a rule held, from its firing to its end. */
export type AlertEpisode = {
  /**
   * Names the episode within its run and rule, whenever one looks: by the row with which it fired (of a stall, the last
   * one before the silence), or by the step of the tally.
   */
  episode_id: string;
  attempt: number;
  from_step: number;
  /** By the clock of the run's host, UTC. */
  fired_secs: number;
  /** What held, in a sentence with its numbers. */
  words: string;
  /** The last step at which the cause held, and when it was seen to be over; null while it lasts. */
  until_step: number | null;
  ended_secs: number | null;
};

/** A rule that stands. */
export type StandingRule = {
  rule_id: string;
  entry_id: number;
  rule: AlertRule;
  author: string;
  made_secs: number;
};

/** One entry of a rule's history; `rule` null: it was removed. */
export type AlertRuleEntry = Omit<StandingRule, "rule"> & { rule: AlertRule | null };

/** An episode of a run that goes on, or went on, under a rule. */
export type Alert = AlertEpisode & {
  alert_id: number;
  rule_id: string;
  run_id: string;
  kind: AlertKind;
  /** Of the rule when it fired. */
  rule_name: string;
  /** Who has seen it; null while nobody has. */
  acknowledged: { author: string; made_secs: number } | null;
};

/** The newest alerts, newest first, and how many of all nobody has seen. */
export type AlertsNow = { alerts: Alert[]; unseen: number };

/** What a rule would have done on one run. */
export type BackTest = {
  run_id: string;
  episodes: AlertEpisode[];
  curve: AlertCurve;
};

/** A receiver of alerts as the browser may see it: the rest of its address may be a secret. */
export type Webhook = {
  webhook_id: string;
  name: string;
  /** Scheme, host and port. */
  origin: string;
  is_signed: boolean;
  /** False: its address is gone from the secrets; enter it again. */
  has_address: boolean;
};

/** One thing that a receiver is told. It may come more than once, always with the same id. */
export type AlertDelivery = {
  delivery_id: string;
  webhook_id: string;
  alert_id: number | null;
  kind: "fired" | "ended" | "test";
  created_secs: number;
  state: "waiting" | "delivered" | "failed";
  tries: number;
  /** When it is tried next, where it waits. */
  next_secs: number;
  tried_secs: number | null;
  /** Of the last answer; null where there was none. */
  status: number | null;
  /** Why the last try failed, in a sentence. */
  problem: string | null;
};
