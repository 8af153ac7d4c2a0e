import type { RunPreset, StageSpec } from "@sightline/core/runs";
import { type History, startHistory } from "@sightline/ui/schedule-editor";
import { useEffect, useState } from "react";
import type { Draft } from "./preflight.ts";

/** What the launch form holds. */
export type LaunchDraft = {
  draft: Draft;
  history: History<StageSpec[]>;
  setHistory: (history: History<StageSpec[]>) => void;
  change: (change: Partial<Draft>) => void;
  setSetting: (name: string, value: string | number | boolean | null) => void;
  take: (preset: RunPreset) => void;
};

const STORED = "sightline-launch";

/**
 * A draft that begins as a preset, or as the run that it is forked from, and outlives a reload of its tab.
 *
 * @param key  Names the draft; another key is another draft.
 */
export function useDraft(first: Draft, key: string): LaunchDraft {
  const [rest, setRest] = useState<Omit<Draft, "stages">>(() => read(key) ?? first);
  const [history, setHistory] = useState(() =>
    startHistory<StageSpec[]>(read(key)?.stages ?? [...first.stages]),
  );
  useEffect(() => {
    sessionStorage.setItem(STORED, JSON.stringify({ key, draft: { ...rest, stages: history.now } }));
  }, [key, rest, history.now]);
  return {
    draft: { ...rest, stages: history.now },
    history,
    setHistory,
    change: (change) => setRest((now) => ({ ...now, name: renameForSeed(now, change.seed), ...change })),
    setSetting: (name, value) =>
      setRest((now) => {
        const { [name]: _old, ...settings } = now.settings;
        return { ...now, settings: value === null ? settings : { ...settings, [name]: value } };
      }),
    take: (preset) => {
      setRest((now) => ({ ...toDraft(preset, now.seed), host_id: now.host_id, sweep: now.sweep ?? null }));
      setHistory(startHistory([...preset.stages]));
    },
  };
}

/** The draft's name; where it ends with the seed that it had, with the new one. */
function renameForSeed(draft: Pick<Draft, "name" | "seed">, seed = draft.seed): string {
  const ending = nameSeed(draft.seed);
  return draft.name.endsWith(ending) ? draft.name.slice(0, -ending.length) + nameSeed(seed) : draft.name;
}

function nameSeed(seed: number): string {
  return ` · seed ${seed}`;
}

/** What this tab held under the key; only this page writes it. */
function read(key: string): Draft | null {
  const text = sessionStorage.getItem(STORED);
  if (text === null) return null;
  try {
    const stored = JSON.parse(text) as { key: string; draft: Draft };
    return stored.key === key ? stored.draft : null;
  } catch {
    sessionStorage.removeItem(STORED);
    return null;
  }
}

/** A draft that is the preset as it stands. */
export function toDraft(preset: RunPreset, seed: number): Draft {
  return {
    stages: [...preset.stages],
    name: `${preset.preset.replace(/^simulated-/, "").replaceAll("-", " ")}${nameSeed(seed)}`,
    engine: preset.engine,
    preset: preset.preset,
    seed,
    settings: { ...preset.settings },
    host_id: "local",
  };
}
