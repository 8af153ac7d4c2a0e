import { Button, Progress } from "@mantine/core";
import type { Clip } from "@sightline/core/clips";
import { SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconMovie, IconMovieOff, IconPlugConnectedX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { TRPCClientError } from "@trpc/client";
import type { ReactNode } from "react";
import { trpc } from "../../app/clients.ts";
import type { ClipPane } from "../../app/clip-pane.ts";
import { useFollowClips } from "../../app/clips.ts";
import { useJobs } from "../../app/jobs.ts";
import { usePageTitle } from "../../app/page-title.ts";
import { ClipDesk } from "./clip-desk.tsx";
import classes from "./clip-page.module.css";

const route = getRouteApi("/clips/$clipId");

/** One clip: its exact frames, which of them were kept, and why. */
export function ClipPage({ panes }: { panes: readonly ClipPane[] }) {
  const { clipId } = route.useParams();
  useFollowClips();
  const clip = useQuery(trpc.clips.get.queryOptions({ clip_id: clipId }));
  usePageTitle("Library", clip.data?.name ?? null);
  if (clip.isPending) return <output className={classes.waiting}>Opening the clip …</output>;
  if (clip.data === undefined) {
    const is_answer = clip.error instanceof TRPCClientError && clip.error.data != null;
    return is_answer ? (
      <Closed icon={<IconMovieOff size={30} stroke={1.4} />} title="There is no such clip">
        The address may be mistyped, or the clip is in another library.
      </Closed>
    ) : (
      <EmptyState
        icon={<IconPlugConnectedX size={30} stroke={1.4} />}
        title="The clip could not be opened"
        actions={<Button onClick={() => void clip.refetch()}>Try again</Button>}
      >
        {clip.error?.message}
      </EmptyState>
    );
  }
  switch (clip.data.state) {
    case "reading":
      return <Reading clip={clip.data} />;
    case "refused":
      return (
        <Closed icon={<IconMovieOff size={30} stroke={1.4} />} title={`${clip.data.name} can't be shown`}>
          {clip.data.problem}
        </Closed>
      );
    default:
      return <Opened key={clip.data.clip_id} clip={clip.data} panes={panes} />;
  }
}

function Opened({ clip, panes }: { clip: Clip; panes: readonly ClipPane[] }) {
  const table = useQuery({
    ...trpc.clips.sampleTable.queryOptions({ clip_id: clip.clip_id }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const saved = useQuery(trpc.keyframes.saved.queryOptions({ clip_id: clip.clip_id }));
  const failed = table.isError ? table : saved.isError && saved.data === undefined ? saved : null;
  if (failed !== null) {
    return (
      <EmptyState
        icon={<IconPlugConnectedX size={30} stroke={1.4} />}
        title="The clip's frames could not be listed"
        actions={<Button onClick={() => void failed.refetch()}>Try again</Button>}
      >
        {failed.error?.message}
      </EmptyState>
    );
  }
  if (table.data === undefined || saved.data === undefined) {
    return <output className={classes.waiting}>Opening the clip …</output>;
  }
  return <ClipDesk clip={clip} table={table.data} saved={saved.data ?? SIGHTLINE_SETTINGS} panes={panes} />;
}

function Reading({ clip }: { clip: Clip }) {
  const job = useJobs().findLast((one) => one.kind === "read" && one.clip_id === clip.clip_id) ?? null;
  const share = job?.total == null || job.total === 0 ? null : job.done / job.total;
  return (
    <EmptyState icon={<IconMovie size={30} stroke={1.4} />} title={`Reading ${clip.name}`}>
      <Progress
        className={classes.progress}
        value={(share ?? 1) * 100}
        animated={share === null}
        aria-label="Reading"
      />
      Every picture is decoded once, so that each frame has its number and its time. The page opens by itself.
    </EmptyState>
  );
}

function Closed({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <EmptyState
      icon={icon}
      title={title}
      actions={
        <Button component={Link} to="/library" variant="default">
          To the library
        </Button>
      }
    >
      {children}
    </EmptyState>
  );
}
