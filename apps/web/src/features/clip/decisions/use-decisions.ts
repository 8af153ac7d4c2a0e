import { useCallbackRef } from "@mantine/hooks";
import {
  type Check,
  checkDecided,
  type Decided,
  type Decision,
  foldVersion,
  type SelectionVersion,
} from "@sightline/core/decisions";
import type { KeyFrameSelection, KeyFrameSettings } from "@sightline/core/keyframes";
import { skipToken, useMutation, useMutationState, useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo } from "react";
import { client, isAnswered, queryClient, trpc } from "../../../app/clients.ts";
import { useFollow } from "../../../app/follow.ts";
import { notifyFailure } from "../../../app/notify.tsx";
import { forgetUnsent, keepUnsent, listUnsent } from "./unsent.ts";

/** What the server says of a clip: everything decided, and the settings of the selections it was decided of. */
type ClipDecisions = {
  decisions: Decision[];
  selections: { settings_hash: string; settings: KeyFrameSettings | null }[];
};

export type DecisionState = {
  /** The history of the selection on screen: what the server holds, then what is on its way to it. */
  history: readonly Decision[];
  /** How many of them the server has not confirmed yet. */
  waiting: number;
  /** The newest version, and the one on screen; null while the selection is only tried or nothing is known. */
  newest: SelectionVersion | null;
  version: SelectionVersion | null;
  /** The version that was asked for, where there is none of that number; otherwise null. */
  missing: number | null;
  /** Other selections of the clip that people decided of. */
  others: { settings_hash: string; settings: KeyFrameSettings | null; history: Decision[] }[];
  /** Looks whether it can be said of the newest version, and says it where it can. */
  decide(decided: Decided): Check;
};

const SENT = ["decide"];
const getKey = (clip_id: string) => ["decisions", "followed", clip_id];

/**
 * What people decided of a clip's key-frames, live, and the way to decide more. A decision shows at once; where the
 * server can't be reached it waits, also over a reload, and is sent again under the same id, in order.
 *
 * @param selection  The one on screen; `is_saved` when the server holds it: only then can it be decided of.
 * @param asked  The version to look at; null for the newest.
 */
export function useDecisions(
  clip_id: string,
  time_secs: readonly number[],
  selection: KeyFrameSelection | null,
  is_saved: boolean,
  asked: number | null,
): DecisionState {
  const queryKey = getKey(clip_id);
  useFollow(`decisions ${clip_id}`, () =>
    client.decisions.follow.subscribe(
      { clip_id },
      { onData: (said) => queryClient.setQueryData<ClipDecisions>(queryKey, said as ClipDecisions) },
    ),
  );
  const told = useQuery<ClipDecisions>({ queryKey, queryFn: skipToken }).data;
  const signature = useQuery(trpc.decisions.signature.queryOptions());
  const drafts = useMutationState({
    filters: { mutationKey: SENT, status: "pending" },
    select: ({ state }) => state.variables as Decision,
  });
  const send = useMutation({
    mutationKey: SENT,
    // One after the other, in the order of the keys.
    scope: { id: "decide" },
    networkMode: "always",
    mutationFn({
      version: _v,
      author: _a,
      made_secs: _m,
      decision_id,
      clip_id: of,
      settings_hash,
      ...decided
    }: Decision) {
      return client.decisions.decide.mutate({ decision_id, clip_id: of, settings_hash, decided } as never);
    },
    retry: (_, error) => !isAnswered(error),
    retryDelay: (n) => Math.min(300 * 2 ** n, 4000),
    onMutate: keepUnsent,
    onSuccess: (made) => putDecision(made as Decision),
    onError: (error) => notifyFailure("The decision was not taken", error),
    onSettled: (_made, _error, { decision_id }) => forgetUnsent(decision_id),
  });
  const sendAgain = useEffectEvent(() => {
    const pending = queryClient.getMutationCache().findAll({ mutationKey: SENT, status: "pending" });
    const sent = new Set(pending.map(({ state }) => (state.variables as Decision).decision_id));
    for (const decision of listUnsent()) if (!sent.has(decision.decision_id)) send.mutate(decision);
  });
  useEffect(() => sendAgain(), []);
  const known = useMemo(() => new Set(told?.decisions.map(({ decision_id }) => decision_id)), [told]);
  // The live stream may tell of a decision before its own answer comes.
  const is_sending = drafts.some(({ decision_id }) => !known.has(decision_id));
  useEffect(() => {
    if (!is_sending) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [is_sending]);

  const settings_hash = is_saved ? (selection?.settings_hash ?? null) : null;
  const history = useMemo(() => {
    if (settings_hash === null || told === undefined) return [];
    const confirmed = told.decisions.filter((one) => one.settings_hash === settings_hash);
    const coming = drafts.filter(
      (one) => one.clip_id === clip_id && one.settings_hash === settings_hash && !known.has(one.decision_id),
    );
    return [...confirmed, ...coming].map((one, i) => ({ ...one, version: i + 1 }));
  }, [told, known, drafts, clip_id, settings_hash]);
  const confirmed = told?.decisions.filter((one) => one.settings_hash === settings_hash).length ?? 0;

  const ground = useMemo(
    () => (selection === null || settings_hash === null ? null : { selection, time_secs }),
    [selection, settings_hash, time_secs],
  );
  const shown = asked === null ? history.length : Math.min(asked, history.length);
  const versions = useMemo(() => {
    if (ground === null || told === undefined) return { newest: null, version: null };
    const newest = foldVersion(ground, history);
    return { newest, version: shown === history.length ? newest : foldVersion(ground, history, shown) };
  }, [ground, told, history, shown]);

  const others = useMemo(
    () =>
      (told?.selections ?? [])
        .filter((one) => one.settings_hash !== settings_hash)
        .map((one) => ({
          ...one,
          history: told?.decisions.filter((decision) => decision.settings_hash === one.settings_hash) ?? [],
        })),
    [told, settings_hash],
  );

  const decide = useCallbackRef((decided: Decided): Check => {
    if (ground === null) {
      return { outcome: "refused", reason: "Save these key-frames first: decisions belong to saved ones." };
    }
    if (told === undefined) {
      return { outcome: "refused", reason: "What was decided before is still on its way. Try again." };
    }
    const check = checkDecided(ground, history, decided);
    if (check.outcome !== "new") return check;
    send.mutate({
      ...decided,
      decision_id: crypto.randomUUID(),
      clip_id,
      settings_hash: ground.selection.settings_hash,
      version: history.length + 1,
      author: signature.data?.name ?? "owner",
      made_secs: Date.now() / 1000,
    });
    return check;
  });

  const missing = versions.newest !== null && asked !== null && asked > history.length ? asked : null;
  const waiting = history.length - Math.min(confirmed, history.length);
  return useMemo(
    () => ({ history, waiting, ...versions, missing, others, decide }),
    [history, waiting, versions, missing, others, decide],
  );
}

/** Puts a decision as the server confirmed it where it is shown, ahead of the live stream. */
function putDecision(made: Decision): void {
  queryClient.setQueryData<ClipDecisions>(getKey(made.clip_id), (told) => {
    if (told === undefined || told.decisions.some(({ decision_id }) => decision_id === made.decision_id))
      return told;
    const { settings_hash } = made;
    const is_known = told.selections.some((one) => one.settings_hash === settings_hash);
    return {
      decisions: [...told.decisions, made].sort((a, b) => a.version - b.version),
      selections: is_known ? told.selections : [...told.selections, { settings_hash, settings: null }],
    };
  });
}
