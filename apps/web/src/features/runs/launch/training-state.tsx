import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useMutation, useQueries, useQuery } from "@tanstack/react-query";
import { queryClient, trpc } from "../../../app/clients.ts";
import { notifyFailure } from "../../../app/notify.tsx";
import { useHostName } from "../host-name.tsx";
import classes from "./launch-page.module.css";
import { type Check, type Draft, NO_FILE, toSpec } from "./preflight.ts";

const TYPING_MS = 250;
const PREPARING_MS = 2000;
/** Checks whose answer is the same on every host. */
const OF_ALL = new Set(["questions", "group"]);
/** Checks that say nothing before a file of questions is chosen. */
const OF_QUESTIONS = new Set(["questions", "lengths"]);

/** What only the server can check before real training: interpreter, questions, batch, memory, disk, judge. */
export function useTrainingChecks(draft: Draft): Check[] {
  const spec = toSpec(draft);
  const host_ids = draft.sweep ? draft.sweep.host_ids : [draft.host_id];
  const [settled] = useDebouncedValue(JSON.stringify({ spec, host_ids }), TYPING_MS);
  const isReal = spec.engine !== "simulator";
  const hasQuestions = spec.settings.question_file !== NO_FILE;
  const asked = JSON.parse(settled) as { spec: typeof spec; host_ids: string[] };
  const nameHost = useHostName();
  const found = useQueries({
    queries: asked.host_ids.map((host_id) => ({
      ...trpc.training.preflight.queryOptions({ ...asked.spec, host_id }),
      enabled: isReal,
      placeholderData: keepPreviousData,
    })),
  });
  if (!isReal) return [];
  const isMany = found.length > 1;
  const checks = found.flatMap(({ data, error }, k): Check[] => {
    const where = isMany ? `${nameHost(asked.host_ids[k] ?? "")}: ` : "";
    if (error) return [{ id: "training", verdict: "wrong", words: `${where}${error.message}` }];
    return (data ?? [])
      .filter(({ name }) => hasQuestions || !OF_QUESTIONS.has(name))
      .map(({ name, ok, says, fix }) => ({
        id: `training-${name}`,
        verdict: ok ? "fine" : "wrong",
        words: OF_ALL.has(name) ? says : `${where}${says}`,
        ...(fix && { fix }),
      }));
  });
  return checks.filter(
    (check, k) => checks.findIndex(({ id, words }) => id === check.id && words === check.words) === k,
  );
}

/** Whether this machine can train, and the way there. */
export function TrainerState() {
  const status = useQuery({
    ...trpc.environment.status.queryOptions(),
    refetchInterval: (query) => (query.state.data?.state === "preparing" ? PREPARING_MS : false),
  });
  const refresh = async () => {
    await queryClient.invalidateQueries({ queryKey: trpc.environment.pathKey() });
    await queryClient.invalidateQueries({ queryKey: trpc.training.pathKey() });
  };
  const prepare = useMutation(
    trpc.environment.prepare.mutationOptions({
      onSettled: refresh,
      onError: (error) => notifyFailure("Could not prepare the trainer", error),
    }),
  );
  const state = status.data?.state;
  if (state === undefined || state === "ready") return null;
  return (
    <section aria-label="Trainer" className={classes.trainer}>
      {state === "no_python" && <p>{status.data?.problem}</p>}
      {state === "preparing" && (
        <p>The trainer is being prepared: one to two minutes, once. Progress is at the foot.</p>
      )}
      {state === "absent" && (
        <>
          <p>
            {status.data?.problem ??
              "Real training needs a Python environment of about 1.4 GB. It is prepared once, in the background."}
          </p>
          <Button
            size="xs"
            variant="default"
            loading={prepare.isPending}
            onClick={() => prepare.mutate({ repair: false })}
          >
            Prepare the trainer
          </Button>
        </>
      )}
    </section>
  );
}
