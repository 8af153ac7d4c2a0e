import { Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { trpc } from "../../../app/clients.ts";
import classes from "./launch-page.module.css";
import type { Draft } from "./preflight.ts";

const route = getRouteApi("/runs/launch");

type Forked =
  | { isPending: true; isError: false }
  | { isPending: false; isError: true; error: { message: string } }
  | { isPending: false; isError: false; draft: Draft | null };

/** The draft of a fork that the address asks for: the parent's own spec, to be changed. Null when it asks for none. */
export function useForkDraft(): Forked {
  const { fork, step } = route.useSearch();
  const detail = useQuery({
    ...trpc.runs.get.queryOptions({ run_id: fork ?? "" }),
    enabled: fork !== undefined && step !== undefined,
  });
  if (fork === undefined || step === undefined) return { isPending: false, isError: false, draft: null };
  if (detail.isError) return { isPending: false, isError: true, error: detail.error };
  if (detail.data === undefined) return { isPending: true, isError: false };
  const { run, spec } = detail.data;
  const { run_id: _, forked_from: __, recorded: ___, ...rest } = spec;
  return {
    isPending: false,
    isError: false,
    draft: {
      ...rest,
      name: `${run.name} · fork at ${step}`,
      host_id: run.host_id,
      fork: { run_id: fork, step, keeps_optimiser: true },
    },
  };
}

/** Where the fork begins, and what it takes over. */
export function ForkNote({
  draft,
  fork,
  onChange,
}: {
  draft: Draft;
  fork: NonNullable<Draft["fork"]>;
  onChange: (fork: NonNullable<Draft["fork"]>) => void;
}) {
  const parent = useQuery(trpc.runs.get.queryOptions({ run_id: fork.run_id })).data;
  const changes = parent ? describeChanges(draft, parent.spec) : [];
  return (
    <section aria-label="Fork" className={`${classes.sweep} ${classes.forkNote}`}>
      <div>
        <p>
          A fork of{" "}
          <Link to="/runs/$runId" params={{ runId: fork.run_id }}>
            {parent?.run.name ?? fork.run_id}
          </Link>{" "}
          from its checkpoint after step {fork.step}: steps up to there are the parent's, and the next one is
          the first of the fork.
        </p>
        <p className={classes.quiet}>
          {changes.length === 0
            ? "Nothing is changed yet: it would repeat its parent. Change the schedule, the seed or a setting."
            : `Changed: ${changes.join(", ")}.`}
        </p>
      </div>
      <Switch
        size="sm"
        label="Keep the optimiser's state"
        description="Off: only the weights are taken over, and momentum begins anew"
        checked={fork.keeps_optimiser}
        onChange={(event) => onChange({ ...fork, keeps_optimiser: event.currentTarget.checked })}
      />
    </section>
  );
}

function describeChanges(draft: Draft, parent: Pick<Draft, "seed" | "stages" | "settings">): string[] {
  const names = new Set([...Object.keys(draft.settings), ...Object.keys(parent.settings)]);
  return [
    ...(JSON.stringify(draft.stages) === JSON.stringify(parent.stages) ? [] : ["the schedule"]),
    ...(draft.seed === parent.seed ? [] : [`seed ${draft.seed}`]),
    ...[...names].filter((name) => draft.settings[name] !== parent.settings[name]),
  ];
}
