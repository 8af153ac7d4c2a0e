import { accountForGroup, type GroupAccount, readRewardScale } from "@sightline/core/rewards";
import { type CompletionGroup, isEndState } from "@sightline/core/runs";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { trpc, whyNot } from "../../../app/clients.ts";
import { useRuns } from "../follow-list.ts";

/**
 * One group of a run with the account of its rewards; both null while they are read, or where there is no such group.
 * `isExpected`: the run goes on, or the server still reads what it wrote, so that the group may yet come.
 */
export function useGroup(place: { run_id: string; attempt: number; step: number; group_id: string }): {
  group: CompletionGroup | null;
  account: GroupAccount | null;
  isLoading: boolean;
  isExpected: boolean;
  problem: string | null;
} {
  const { run_id, attempt, step, group_id } = place;
  const found = useQuery({
    ...trpc.runs.completions.queryOptions({ run_id, step }),
    enabled: Number.isInteger(step) && step >= 0,
  });
  const detail = useQuery(trpc.runs.get.queryOptions({ run_id }));
  const groups = found.data;
  const group = groups?.find((one) => one.attempt === attempt && one.group_id === group_id) ?? null;
  const run = useRuns().data?.find((one) => one.run_id === run_id);
  const { refetch } = found;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a run that got further may have brought the group
  useEffect(() => {
    if (groups !== undefined && group === null) void refetch();
  }, [run?.step, run?.state]);
  const account = useMemo(() => {
    // By which scale it was counted is not to be guessed while it is still on its way.
    if (!group || !groups || detail.isPending) return null;
    const batch = groups
      .filter((one) => one.attempt === group.attempt && one.gen === group.gen)
      .flatMap(({ completions }) => completions.filter(({ split }) => split !== "eval"));
    return accountForGroup(group.completions, readRewardScale(detail.data?.spec?.settings ?? {}), batch);
  }, [group, groups, detail.isPending, detail.data?.spec]);
  const problem = whyNot(found)?.message ?? null;
  const isExpected = problem === null && (found.isFetching || (run !== undefined && !isEndState(run.state)));
  return { group, account, isLoading: found.isLoading && problem === null, isExpected, problem };
}
