import { useLocalStorage } from "@mantine/hooks";
import type { Policy } from "@sightline/core/policies";
import type { Reasoner } from "@sightline/core/traces";
import { useQuery } from "@tanstack/react-query";
import { trpc } from "../clients.ts";

/** Tokens at most that a model behind an endpoint may write. */
const MAX_TOKENS = 4096;

/** A reasoner that can be picked. `key` names it in the browser's storage. */
export type Choice = {
  key: string;
  label: string;
  /** What it is, in a few words. */
  about: string;
} & (
  | { kind: "policy"; reasoner: Extract<Reasoner, { kind: "onnx" }>; policy: Policy }
  | { kind: "endpoint"; reasoner: Extract<Reasoner, { kind: "openai" }> }
);

function describePolicy({ source, card, bytes }: Policy): string {
  if (source.kind === "hub") return "from the hub, loaded by this browser";
  return card === null ? `${((bytes ?? 0) / 1e6).toFixed(0)} MB, in this browser` : `step ${card.step}`;
}

/** Policies that runs have exported, then the models of the endpoints. */
export function useReasoners() {
  const policies = useQuery(trpc.policies.list.queryOptions());
  const endpoints = useQuery(trpc.endpoints.list.queryOptions());
  const choices: Choice[] = [
    ...(policies.data ?? []).map(
      (policy): Choice => ({
        kind: "policy",
        key: `policy ${JSON.stringify(policy.source)}`,
        label: policy.card === null ? policy.name : `Tiny policy · ${policy.name}`,
        about: policy.problem ?? describePolicy(policy),
        policy,
        reasoner: {
          kind: "onnx",
          source: policy.source,
          max_tokens: policy.card?.max_completion_tokens ?? 512,
        },
      }),
    ),
    ...(endpoints.data ?? []).flatMap(({ endpoint_id, name, models }) =>
      models.map(
        (model): Choice => ({
          kind: "endpoint",
          key: `endpoint ${endpoint_id} ${model}`,
          label: model,
          about: name,
          reasoner: { kind: "openai", endpoint_id, model, temperature: 0, max_tokens: MAX_TOKENS },
        }),
      ),
    ),
  ];
  return {
    choices,
    is_pending: policies.isPending || endpoints.isPending,
    error: policies.error ?? endpoints.error,
  };
}

/** What was picked last, over all clips; where that is gone, the first that there is. */
export function usePicked(choices: readonly Choice[]): [Choice | null, (key: string) => void] {
  const [key, setKey] = useLocalStorage({ key: "sightline-reasoner", defaultValue: "" });
  return [choices.find((choice) => choice.key === key) ?? choices[0] ?? null, setKey];
}

/** Who wrote a trace, in words. */
export function nameReasoner(reasoner: Reasoner, choices: readonly Choice[]): string {
  const known = choices.find(
    (choice) =>
      (choice.kind === "policy" &&
        reasoner.kind === "onnx" &&
        JSON.stringify(choice.reasoner.source) === JSON.stringify(reasoner.source)) ||
      (choice.kind === "endpoint" &&
        reasoner.kind === "openai" &&
        choice.reasoner.endpoint_id === reasoner.endpoint_id &&
        choice.reasoner.model === reasoner.model),
  );
  if (known) return known.label;
  if (reasoner.kind === "openai") return reasoner.model;
  const { source } = reasoner;
  if (source.kind === "run") return `Tiny policy of run ${source.run_id}`;
  return source.kind === "folder" ? source.model_id : source.id;
}
