import { NumberInput } from "@mantine/core";
import type { Clip } from "@sightline/core/clips";
import { DEFAULT_FIELD_OF_VIEW_DEG } from "@sightline/core/motion";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { notifyFailure, notifyUndoable } from "../../app/notify.tsx";

const NARROWEST_DEG = 20;
const WIDEST_DEG = 150;

/**
 * The camera's horizontal field of view, which geometry needs to tell a turn from a move: as a person set it, otherwise as
 * the pictures show it, otherwise assumed. Empty takes back what was set.
 */
export function FieldOfView({ clip }: { clip: Clip }) {
  const { clip_id, field_of_view_deg: set_deg } = clip;
  const [draft, setDraft] = useState<number | string>(set_deg ?? "");
  const found = useQuery(trpc.keyframes.fieldOfView.queryOptions({ clip_id }));
  const found_deg = found.data ?? null;

  function commit(): void {
    const next = typeof draft === "number" ? Math.min(WIDEST_DEG, Math.max(NARROWEST_DEG, draft)) : null;
    setDraft(next ?? "");
    if (next === set_deg) return;
    setFieldOfView(clip, next, () => {
      setDraft(set_deg ?? "");
      setFieldOfView({ clip_id, field_of_view_deg: next }, set_deg);
    });
  }

  return (
    <NumberInput
      label="Field of view"
      description={found.isPending ? "Looking at the clip’s turns …" : describe(set_deg, found_deg)}
      placeholder={`${Math.round(found_deg ?? DEFAULT_FIELD_OF_VIEW_DEG)}°`}
      suffix="°"
      size="xs"
      min={NARROWEST_DEG}
      max={WIDEST_DEG}
      decimalScale={1}
      value={draft}
      onChange={setDraft}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        commit();
      }}
    />
  );
}

function describe(set_deg: number | null, found_deg: number | null): string {
  const found = found_deg === null ? null : `${Math.round(found_deg)}° from the clip’s turns`;
  if (set_deg !== null) return `Set by a person; ${found ?? "the clip does not show it"}`;
  return found === null
    ? `${DEFAULT_FIELD_OF_VIEW_DEG}° assumed: the clip does not show it`
    : `Estimated: ${found}`;
}

type ClipAngle = Pick<Clip, "clip_id" | "field_of_view_deg">;

function put({ clip_id, field_of_view_deg }: ClipAngle): void {
  queryClient.setQueryData(
    trpc.clips.get.queryKey({ clip_id }),
    (clip) => clip && { ...clip, field_of_view_deg },
  );
}

/** What is on its way to the server. The next one waits for it, so that what was said last holds. */
let sent: Promise<void> = Promise.resolve();

/** Shows it at once; takes it back and says why when the server refuses. */
function setFieldOfView(before: ClipAngle, field_of_view_deg: number | null, undo?: () => void): void {
  const { clip_id } = before;
  put({ clip_id, field_of_view_deg });
  sent = sent.then(async () => {
    try {
      await client.clips.setFieldOfView.mutate({ clip_id, field_of_view_deg });
      const said =
        field_of_view_deg === null
          ? "Field of view no longer set"
          : `Field of view set to ${field_of_view_deg}°`;
      if (undo !== undefined) notifyUndoable(said, undo);
    } catch (error) {
      put(before);
      notifyFailure("Could not set the field of view", error);
    }
  });
}
