import { ActionIcon } from "@mantine/core";
import type { Replay } from "@sightline/core/replay";
import { IconTrash } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { trpc } from "../../../../app/clients.ts";
import { notifyFailure, notifyUndoable } from "../../../../app/notify.tsx";
import { describePlan } from "./describe.ts";
import classes from "./replay.module.css";

const STATES: Record<Replay["state"], string> = {
  working: "at work",
  done: "",
  cancelled: "cancelled",
  failed: "failed",
};

/** The replays that were kept of a run. */
export function ReplayList({ replays, open }: { replays: readonly Replay[]; open: string | null }) {
  const onError = (error: unknown) => notifyFailure("That could not be done", error);
  const restore = useMutation(trpc.replay.restore.mutationOptions({ onError }));
  const remove = useMutation(trpc.replay.remove.mutationOptions({ onError }));
  if (replays.length === 0)
    return (
      <p className={classes.hint}>
        Nothing was replayed yet. What you replay is kept here, with who and when.
      </p>
    );
  return (
    <ul className={classes.list} aria-label="Replays">
      {replays.map((replay) => (
        <li key={replay.replay_id} data-open={replay.replay_id === open || undefined}>
          <Link
            to="/runs/$runId/replay"
            params={{ runId: replay.run_id }}
            search={{ replay: replay.replay_id }}
            className={classes.entry}
            aria-current={replay.replay_id === open ? "page" : undefined}
          >
            <span className={classes.name}>{replay.name}</span>
            {replay.name !== describePlan(replay.plan) && (
              <span className={classes.quiet}>{describePlan(replay.plan)}</span>
            )}
            <span className={classes.quiet}>
              {replay.author}, {new Date(replay.made_secs * 1000).toLocaleString()}
              {STATES[replay.state] !== "" && ` · ${STATES[replay.state]}`}
            </span>
          </Link>
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            aria-label={`Remove ${replay.name}`}
            onClick={() =>
              remove.mutate(
                { replay_id: replay.replay_id },
                {
                  onSuccess: () =>
                    notifyUndoable(`${replay.name} removed.`, () =>
                      restore.mutate({ replay_id: replay.replay_id }),
                    ),
                },
              )
            }
          >
            <IconTrash size={14} stroke={1.6} />
          </ActionIcon>
        </li>
      ))}
    </ul>
  );
}
