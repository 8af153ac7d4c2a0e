import { Button } from "@mantine/core";
import { SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconArrowsDiff, IconPlugConnectedX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { trpc } from "../../../app/clients.ts";
import { useFollowClips } from "../../../app/clips.ts";
import { usePageTitle } from "../../../app/page-title.ts";
import classes from "./compare-desk.module.css";
import { CompareDesk } from "./compare-desk.tsx";

const route = getRouteApi("/clips/$clipId/compare-settings");

/** One clip under two settings: what both keep, what one keeps, what neither keeps, and why. */
export function CompareSettingsPage() {
  const { clipId } = route.useParams();
  useFollowClips();
  const clip = useQuery(trpc.clips.get.queryOptions({ clip_id: clipId }));
  const table = useQuery({
    ...trpc.clips.sampleTable.queryOptions({ clip_id: clipId }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: clip.data?.state === "ready" || clip.data?.state === "partial",
  });
  const saved = useQuery(trpc.keyframes.saved.queryOptions({ clip_id: clipId }));
  usePageTitle("Library", clip.data === undefined ? null : `${clip.data.name} · two settings`);
  const failed = [clip, table, saved].find(({ isError, data }) => isError && data === undefined);
  if (failed !== undefined) {
    return (
      <EmptyState
        icon={<IconPlugConnectedX size={30} stroke={1.4} />}
        title="The clip could not be opened"
        actions={<Button onClick={() => void failed.refetch()}>Try again</Button>}
      >
        {failed.error?.message}
      </EmptyState>
    );
  }
  if (clip.data?.state === "refused" || clip.data?.state === "reading") {
    return (
      <EmptyState
        icon={<IconArrowsDiff size={30} stroke={1.4} />}
        title={`${clip.data.name} has no frames to compare${clip.data.state === "reading" ? " yet" : ""}`}
        actions={
          <Button component={Link} to="/library" variant="default">
            To the library
          </Button>
        }
      >
        {clip.data.problem ?? "It is still being read; the page opens by itself."}
      </EmptyState>
    );
  }
  if (clip.data === undefined || table.data === undefined || saved.data === undefined) {
    return <output className={classes.waiting}>Opening the clip …</output>;
  }
  return (
    <CompareDesk
      key={clip.data.clip_id}
      clip={clip.data}
      table={table.data}
      saved={saved.data ?? SIGHTLINE_SETTINGS}
    />
  );
}
