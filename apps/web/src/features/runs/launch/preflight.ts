import { formatBytes } from "@sightline/core/format";
import type { HostSummary, RunSpec } from "@sightline/core/runs";
import { isByStep, STAGE_SETTINGS, stageSteps, totalEpochs, validateStages } from "@sightline/core/schedules";
import { FAULTS, parseFaults } from "./faults.ts";
import { FIELDS, getNumber, WORLD_FIELDS } from "./fields.ts";
import type { SweepWish } from "./sweep.ts";

/** One thing that was looked at before a launch. wrong: it cannot start so; odd: it can, but look. */
export type Check = {
  id: string;
  verdict: "fine" | "odd" | "wrong";
  words: string;
  /** A setting that would mend it, and its value. */
  fix?: readonly [name: string, value: string | number | boolean];
};

/** What the settings come to. */
export type Plan = {
  /** Where the schedule ends. */
  steps: number;
  /** Steps that are still to be taken: a fork begins behind its checkpoint. */
  left: number;
  samples_per_step: number;
  /** Of the steps that are left, as are the seconds. */
  completions: number;
  secs: number | null;
};

/** What the launch page holds: one run, or what a sweep repeats. */
export type Draft = Omit<RunSpec, "run_id" | "forked_from"> & {
  host_id: string;
  /** Automatic attempts one after the other; the engine's default when absent. */
  max_retries?: number;
  /** The checkpoint that the run begins from. */
  fork?: { run_id: string; step: number; keeps_optimiser: boolean };
  sweep?: SweepWish | null;
};

/** What is sent of a draft as the run's own. */
export function toSpec({ host_id: _, max_retries: __, fork: ___, sweep: ____, ...spec }: Draft) {
  return { ...spec, name: spec.name.trim() };
}

/** Real training goes on by itself after a reboot or a kill; a simulation shows its faults as they are. */
export function getMaxRetries({ max_retries, engine }: Draft): number {
  return max_retries ?? (engine === "simulator" ? 0 : 2);
}

/**
 * Counts steps, samples and time of a draft.
 *
 * @param questions  Of the chosen question file; null when the draft learns on worlds, or none is chosen.
 */
export function getPlan(draft: Draft, questions: number | null = null): Plan {
  const per_epoch = getStepsPerEpoch(draft, questions);
  const all = countSteps(draft.stages, per_epoch);
  const most = getSetting(draft, "max_steps");
  const steps = most > 0 ? Math.min(all, most) : all;
  const samples_per_step =
    draft.engine === "evaluate"
      ? 1
      : draft.engine === "sft"
        ? 0
        : getSetting(draft, "prompts_per_step") * getSetting(draft, "group_size");
  const pace = getSetting(draft, "steps_per_sec");
  const left = Math.max(0, steps - (draft.fork?.step ?? 0));
  return {
    steps,
    left,
    samples_per_step,
    completions: left * samples_per_step,
    secs: pace > 0 ? left / pace : null,
  };
}

/** What holds where a stage has no learning rate, β or temperature of its own; null for engines without stages' own. */
export function getStageSettings(draft: Draft): Record<string, number> | null {
  if (draft.engine !== "grpo" && draft.engine !== "simulator") return null;
  return Object.fromEntries(
    STAGE_SETTINGS.flatMap(({ name }) => {
      const value = getSetting(draft, name);
      return value > 0 ? [[name, value]] : [];
    }),
  );
}

function countSteps(stages: Draft["stages"], steps_per_epoch: number | null): number {
  if (!isByStep(stages) && steps_per_epoch === null) return 0;
  if (!isByStep(stages)) return Math.round(totalEpochs(stages) * (steps_per_epoch ?? 0));
  return (stageSteps(stages, steps_per_epoch ?? 1).at(-1)?.to_step ?? 1) - 1;
}

/** Optimiser steps in one epoch; null when the questions are not known yet. */
export function getStepsPerEpoch(draft: Draft, questions: number | null): number | null {
  if (draft.engine === "simulator") return getSetting(draft, "steps_per_epoch");
  if (draft.engine === "evaluate") return getSetting(draft, "eval_questions");
  const prompts = getSetting(draft, "prompts_per_step");
  if (prompts < 1) return null;
  if (typeof draft.settings.question_file === "string")
    return questions === null
      ? null
      : Math.floor((questions - Math.max(1, Math.round(questions * HELD_OUT))) / prompts);
  return Math.floor(getSetting(draft, "train_questions") / prompts);
}

/** `question_file` of a draft that shall learn on a person's own questions and has no file without a wrong line yet. */
export const NO_FILE = "";

/** Share of a person's own questions that is held out of training. */
const HELD_OUT = 0.2;

function getSetting(draft: Draft, name: string): number {
  const fields = [...FIELDS[draft.engine].main, ...FIELDS[draft.engine].rest, ...WORLD_FIELDS];
  const field = fields.find((one) => one.name === name);
  return field ? getNumber(draft.settings, field) : 0;
}

/** Everything that can be known before a launch, worst first within each concern. Pure. */
export function checkDraft(
  draft: Draft,
  around: {
    /** Those that the draft goes to; undefined while the hosts are not known yet. */
    hosts: readonly HostSummary[] | undefined;
    names: readonly string[];
    questions: number | null;
  },
): Check[] {
  const { engine, settings } = draft;
  const checks: Check[] = [];
  const say = (id: string, verdict: Check["verdict"], words: string) => checks.push({ id, verdict, words });

  const name = draft.name.trim();
  if (name === "") say("name", "wrong", "The run has no name.");
  else if (around.names.includes(name)) say("name", "odd", `Another run is called “${name}”, too.`);

  if (settings.question_file === NO_FILE)
    say("questions", "wrong", "No questions to learn on: choose a file in which every line is right.");

  const faults = validateStages(draft.stages);
  for (const fault of faults) say("schedule", "wrong", fault);
  const plan = getPlan(draft, around.questions);
  if (faults.length === 0 && settings.question_file !== NO_FILE)
    say(
      "schedule",
      plan.steps > 0 ? "fine" : "wrong",
      `The stages follow each other and hold ${plan.steps} steps.`,
    );

  const { fork } = draft;
  if (fork && faults.length === 0)
    say(
      "fork",
      plan.steps > fork.step ? "fine" : "wrong",
      plan.steps > fork.step
        ? `The fork takes steps ${fork.step + 1} to ${plan.steps}.`
        : `The schedule ends at step ${plan.steps}, and the checkpoint is of step ${fork.step}: make it longer.`,
    );

  const worlds = engine === "simulator" ? [] : WORLD_FIELDS;
  for (const field of [...FIELDS[engine].main, ...FIELDS[engine].rest, ...worlds]) {
    const value = settings[field.name];
    if (value === undefined || value === null) continue;
    if (typeof value !== "number" || !Number.isFinite(value))
      say(field.name, "wrong", `${field.label} is not a number.`);
    else if (value < field.min || value > field.max)
      say(field.name, "wrong", `${field.label} must be from ${field.min} to ${field.max}.`);
    else if (field.is_whole && !Number.isInteger(value))
      say(field.name, "wrong", `${field.label} must be a whole number.`);
  }

  if (engine === "simulator" || engine === "grpo") checkGroup(settings, plan, say);
  if (engine !== "evaluate") checkSaves(draft, plan, say);

  if (engine === "simulator") checkFaults(draft, plan.steps, say);
  if (around.hosts?.length === 0 && !draft.sweep) say("host", "wrong", "No host is chosen.");
  for (const host of around.hosts ?? []) checkHost(host, say);
  return checks;
}

type Say = (id: string, verdict: Check["verdict"], words: string) => void;

function checkGroup(settings: Draft["settings"], plan: Plan, say: Say): void {
  const group_size = Number(settings.group_size ?? 8);
  if (group_size === 1)
    say("group", "wrong", "A group of one has no advantage to learn from; take 2 or more completions.");
  else if (group_size < 4)
    say("group", "odd", `Groups of ${group_size} are often all right or all wrong and then teach nothing.`);
  else say("group", "fine", `${plan.samples_per_step} completions a step, in whole groups of ${group_size}.`);
}

function checkSaves(draft: Draft, plan: Plan, say: Say): void {
  const save_steps = getSetting(draft, "save_steps");
  if (plan.steps > 0 && save_steps > plan.steps)
    say("save", "odd", "No checkpoint before the end: a run that breaks begins anew.");
  else say("save", "fine", `A checkpoint every ${save_steps} steps; a break costs at most that.`);
}

function checkFaults({ settings }: Draft, steps: number, say: Say): void {
  const { faults: planned, unknown } = parseFaults(String(settings.faults ?? ""));
  for (const word of unknown) say("faults", "wrong", `“${word}” is no fault that the simulator knows.`);
  for (const fault of planned)
    if (fault.step !== null && fault.step > steps)
      say("faults", "odd", `${FAULTS[fault.name]} at step ${fault.step}: the run ends before, at ${steps}.`);
}

function checkHost(host: HostSummary, say: Say): void {
  if (host.state === "unusable") say("host", "wrong", host.problem ?? `${host.name} cannot take a run.`);
  else if (host.state === "unreachable")
    say("host", "odd", `${host.name} does not answer now; the run starts when it does.`);
  else if (host.state === "connecting") say("host", "odd", `${host.name} is being reached.`);
  else say("host", "fine", describeHost(host));
  const free = host.facts?.disk_free_bytes ?? null;
  if (free !== null && free < 200_000_000)
    say("disk", "odd", `${host.name} has ${formatBytes(free)} free; a run writes tens of megabytes.`);
}

function describeHost({ name, facts, active_runs }: HostSummary): string {
  const parts = [
    facts === null ? null : `Python ${facts.python}`,
    facts === null ? null : `${facts.cpus} ${facts.cpus === 1 ? "core" : "cores"}`,
    facts === null ? null : `${formatBytes(facts.disk_free_bytes)} free`,
    active_runs > 0 ? `${active_runs} ${active_runs === 1 ? "run" : "runs"} going on` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? `${name} is ready.` : `${name} is ready: ${parts.join(", ")}.`;
}
