import { formatBytes } from "@sightline/core/format";
import type { HostSummary, RunSpec } from "@sightline/core/runs";
import { totalEpochs, validateStages } from "@sightline/core/schedules";
import { FAULTS, parseFaults } from "./faults.ts";
import { FIELDS, getNumber } from "./fields.ts";

/** One thing that was looked at before a launch. wrong: it cannot start so; odd: it can, but look. */
export type Check = { id: string; verdict: "fine" | "odd" | "wrong"; words: string };

/** What the settings come to. */
export type Plan = { steps: number; samples_per_step: number; completions: number; secs: number | null };

export type Draft = Omit<RunSpec, "run_id"> & { host_id: string };

/** Counts steps, samples and time of a draft. */
export function getPlan(draft: Draft): Plan {
  const value = (name: string) => {
    const field = [...FIELDS[draft.engine].main, ...FIELDS[draft.engine].rest].find(
      (one) => one.name === name,
    );
    return field ? getNumber(draft.settings, field) : 0;
  };
  const all = Math.round(totalEpochs(draft.stages) * value("steps_per_epoch"));
  const most = value("max_steps");
  const steps = most > 0 ? Math.min(all, most) : all;
  const samples_per_step = value("prompts_per_step") * value("group_size");
  const pace = value("steps_per_sec");
  return {
    steps,
    samples_per_step,
    completions: steps * samples_per_step,
    secs: pace > 0 ? steps / pace : null,
  };
}

/** Everything that can be known before a launch, worst first within each concern. Pure. */
export function checkDraft(
  draft: Draft,
  around: { host: HostSummary | null; names: readonly string[] },
): Check[] {
  const { engine, settings } = draft;
  const checks: Check[] = [];
  const say = (id: string, verdict: Check["verdict"], words: string) => checks.push({ id, verdict, words });

  const name = draft.name.trim();
  if (name === "") say("name", "wrong", "The run has no name.");
  else if (around.names.includes(name)) say("name", "odd", `Another run is called “${name}”, too.`);

  const faults = validateStages(draft.stages);
  for (const fault of faults) say("schedule", "wrong", fault);
  const plan = getPlan(draft);
  if (faults.length === 0)
    say(
      "schedule",
      plan.steps > 0 ? "fine" : "wrong",
      `The stages follow each other and hold ${plan.steps} steps.`,
    );

  for (const field of [...FIELDS[engine].main, ...FIELDS[engine].rest]) {
    const value = settings[field.name];
    if (value === undefined || value === null) continue;
    if (typeof value !== "number" || !Number.isFinite(value))
      say(field.name, "wrong", `${field.label} is not a number.`);
    else if (value < field.min || value > field.max)
      say(field.name, "wrong", `${field.label} must be from ${field.min} to ${field.max}.`);
    else if (field.is_whole && !Number.isInteger(value))
      say(field.name, "wrong", `${field.label} must be a whole number.`);
  }

  const group_size = Number(settings.group_size ?? 8);
  if (group_size === 1)
    say("group", "wrong", "A group of one has no advantage to learn from; take 2 or more completions.");
  else if (group_size < 4)
    say("group", "odd", `Groups of ${group_size} are often all right or all wrong and then teach nothing.`);
  else say("group", "fine", `${plan.samples_per_step} completions a step, in whole groups of ${group_size}.`);

  const save_steps = Number(settings.save_steps ?? 32);
  if (plan.steps > 0 && save_steps > plan.steps)
    say("save", "odd", "No checkpoint before the end: a run that breaks begins anew.");
  else say("save", "fine", `A checkpoint every ${save_steps} steps; a break costs at most that.`);

  const { faults: planned, unknown } = parseFaults(String(settings.faults ?? ""));
  for (const word of unknown) say("faults", "wrong", `“${word}” is no fault that the simulator knows.`);
  for (const fault of planned)
    if (fault.step !== null && fault.step > plan.steps)
      say(
        "faults",
        "odd",
        `${FAULTS[fault.name]} at step ${fault.step}: the run ends before, at ${plan.steps}.`,
      );

  checkHost(around.host, say);
  return checks;
}

function checkHost(
  host: HostSummary | null,
  say: (id: string, verdict: Check["verdict"], words: string) => void,
): void {
  if (host === null) {
    say("host", "wrong", "No host is chosen.");
    return;
  }
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
