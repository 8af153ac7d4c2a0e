import type { HostChoice } from "@sightline/core/evaluations";
import type { HostSummary } from "@sightline/core/hosts";
import type { CheckpointRow, RunSummary } from "@sightline/core/runs";
import { skipToken, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";

/** Which models are offered: those that are asked from here, and the two that a run on a host asks. */
export type ModelKind = "reasoner" | HostChoice["kind"];

/** As many as a model behind an endpoint may write. */
const MAX_TOKENS = 4096;

/** What a person picks of models on hosts. */
export type HostChoiceState = {
  /** Runs that trained something whose checkpoints lie among the runs of their host. */
  runs: RunSummary[];
  run: RunSummary | null;
  pickRun(run_id: string | null): void;
  /** Whole ones, the newest first. */
  checkpoints: CheckpointRow[];
  checkpoint: CheckpointRow | null;
  pickStep(step: string | null): void;
  /** Why there are no checkpoints to pick, in a sentence; null where there are some, or nothing is known yet. */
  problem: string | null;
  hosts: HostSummary[];
  host: HostSummary | null;
  pickHost(host_id: string | null): void;
  model: string;
  setModel(model: string): void;
  /** Tokens that the longest answer may have; null while it is no number. */
  max_tokens: number | null;
  setMaxTokens(max_tokens: number | null): void;
  /** Null while something is missing. */
  choice: HostChoice | null;
  /** The choice in words; empty without one. */
  label: string;
};

/** @param kind  What is asked; nothing is fetched for a reasoner. */
export function useHostChoice(kind: ModelKind): HostChoiceState {
  const [run_id, pickRun] = useState<string | null>(null);
  const [step, pickStep] = useState<string | null>(null);
  const [host_id, pickHost] = useState<string | null>(null);
  const [model, setModel] = useState("");
  const [max_tokens, setMaxTokens] = useState<number | null>(MAX_TOKENS);
  const all = useQuery(trpc.runs.list.queryOptions(kind === "checkpoint" ? undefined : skipToken));
  const runs = (all.data ?? []).filter(
    ({ engine, recorded, watched }) => (engine === "grpo" || engine === "sft") && !recorded && !watched,
  );
  const run = runs.find((one) => one.run_id === run_id) ?? runs[0] ?? null;
  const list = useQuery(
    trpc.runs.checkpoints.queryOptions(
      kind === "checkpoint" && run !== null ? { run_id: run.run_id } : skipToken,
    ),
  );
  const checkpoints = (list.data?.checkpoints ?? [])
    .filter(({ complete }) => complete)
    .sort((one, other) => other.step - one.step);
  const checkpoint = checkpoints.find((one) => String(one.step) === step) ?? checkpoints[0] ?? null;
  const known = useQuery(trpc.hosts.list.queryOptions(kind === "hub" ? undefined : skipToken));
  const hosts = known.data ?? [];
  const host = hosts.find((one) => one.host_id === host_id) ?? hosts[0] ?? null;
  const choice = toChoice(kind, { run, checkpoint, host, model: model.trim(), max_tokens });
  const empty =
    all.data !== undefined && run === null
      ? "No run has trained a policy on a host yet."
      : list.data !== undefined && checkpoint === null
        ? "This run has no whole checkpoint."
        : null;
  return {
    runs,
    run,
    pickRun(next) {
      pickRun(next);
      pickStep(null);
    },
    checkpoints,
    checkpoint,
    pickStep,
    problem: all.error?.message ?? list.error?.message ?? known.error?.message ?? list.data?.problem ?? empty,
    hosts,
    host,
    pickHost,
    model,
    setModel,
    max_tokens,
    setMaxTokens,
    choice,
    label:
      choice === null
        ? ""
        : choice.kind === "hub"
          ? choice.model
          : `${run?.name ?? choice.run_id}, step ${choice.step}`,
  };
}

function toChoice(
  kind: ModelKind,
  {
    run,
    checkpoint,
    host,
    model,
    max_tokens,
  }: {
    run: RunSummary | null;
    checkpoint: CheckpointRow | null;
    host: HostSummary | null;
    model: string;
    max_tokens: number | null;
  },
): HostChoice | null {
  if (kind === "checkpoint" && run !== null && checkpoint !== null)
    return { kind, run_id: run.run_id, step: checkpoint.step };
  if (kind === "hub" && host !== null && model !== "" && max_tokens !== null)
    return { kind, host_id: host.host_id, model, max_tokens };
  return null;
}
