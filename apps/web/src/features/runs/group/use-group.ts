import { accountForGroup, type GroupAccount, readRewardScale } from "@sightline/core/rewards";
import type { CompletionGroup } from "@sightline/core/runs";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { trpc } from "../../../app/clients.ts";

/** One group of a run with the account of its rewards; both null while they are read, or where there is no such group. */
export function useGroup(place: { run_id: string; attempt: number; step: number; group_id: string }): {
  group: CompletionGroup | null;
  account: GroupAccount | null;
  isLoading: boolean;
  problem: string | null;
} {
  const { run_id, attempt, step, group_id } = place;
  const found = useQuery({
    ...trpc.runs.completions.queryOptions({ run_id, step }),
    enabled: Number.isInteger(step) && step >= 0,
  });
  const spec = useQuery(trpc.runs.get.queryOptions({ run_id })).data?.spec;
  const groups = found.data;
  const group = groups?.find((one) => one.attempt === attempt && one.group_id === group_id) ?? null;
  const account = useMemo(() => {
    if (!group || !groups) return null;
    const batch = groups
      .filter((one) => one.attempt === group.attempt && one.gen === group.gen)
      .flatMap(({ completions }) => completions.filter(({ split }) => split !== "eval"));
    return accountForGroup(group.completions, readRewardScale(spec?.settings ?? {}), batch);
  }, [group, groups, spec]);
  return { group, account, isLoading: found.isLoading, problem: found.error?.message ?? null };
}
