import { type CompletionGroup, lastStepKept } from "@sightline/core/runs";
import type { LineOf } from "@sightline/core/wire";
import type { LineStore } from "./line-store.ts";
import type { RunStore } from "./store.ts";

/** What a run wrote at one step, by group; a group of an attempt that was rolled back says so. */
export function listGroups(
  { store, lines }: { store: RunStore; lines: LineStore },
  run_id: string,
  step: number,
): CompletionGroup[] {
  const attempts = store.attempts(run_id);
  const groups = new Map<string, CompletionGroup>();
  for (const line of lines.completions(run_id, step)) {
    const key = `${line.attempt}:${line.gen}:${line.group_id}`;
    const group = groups.get(key) ?? openGroup(line, step > lastStepKept(attempts, line.attempt));
    group.prompt ??= line.prompt;
    group.completions.push(line);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function openGroup(line: LineOf<"completion">, rolled_back: boolean): CompletionGroup {
  const { attempt, gen, step, stage, group_id, question_id, clip_id, task, gold, prompt } = line;
  return {
    attempt,
    gen,
    step,
    stage,
    group_id,
    question_id,
    clip_id,
    task,
    gold,
    prompt,
    rolled_back,
    completions: [],
  };
}
