import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

const route = getRouteApi("/runs/$runId/groups/$attempt/$step/$groupId");

/** What is looked at of a group; the URL holds it. */
export type GroupView = {
  run_id: string;
  attempt: number;
  step: number;
  group_id: string;
  /** The completion that is open in the inspector; null: all of them side by side. */
  k: number | null;
  /** The completion that the others are held against; null: what most of them say. */
  against: number | null;
  /** They stand in the order of their numbers, not of their advantages. */
  isByNumber: boolean;
  open(k: number | null): void;
  compare(against: number | null): void;
  orderByNumber(isByNumber: boolean): void;
};

export function useGroupView(): GroupView {
  const { runId, attempt, step, groupId } = route.useParams();
  const { k, against, order } = route.useSearch();
  const navigate = useNavigate({ from: "/runs/$runId/groups/$attempt/$step/$groupId" });
  const go = useCallback(
    (change: { k?: number | undefined; against?: number | undefined; order?: "k" | undefined }) =>
      void navigate({ to: ".", search: (before) => ({ ...before, ...change }) }),
    [navigate],
  );
  const actions = useMemo(
    () => ({
      open: (next: number | null) => go({ k: next ?? undefined }),
      compare: (next: number | null) => go({ against: next ?? undefined }),
      orderByNumber: (isByNumber: boolean) => go({ order: isByNumber ? "k" : undefined }),
    }),
    [go],
  );
  return {
    run_id: runId,
    attempt: Number(attempt),
    step: Number(step),
    group_id: groupId,
    k: k ?? null,
    against: against ?? null,
    isByNumber: order === "k",
    ...actions,
  };
}
