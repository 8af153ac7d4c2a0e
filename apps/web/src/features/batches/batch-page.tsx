import { Button, Menu, SegmentedControl, Tabs, TextInput } from "@mantine/core";
import type { Batch, BatchClipState } from "@sightline/core/batches";
import { formatAgo, formatCount, formatNumberOf } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import { Status } from "@sightline/ui/status";
import {
  IconDownload,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlugConnectedX,
  IconRefresh,
  IconSearch,
  IconStack2,
} from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo, useRef } from "react";
import { describeSettings } from "../../app/batches/describe.ts";
import { trpc } from "../../app/clients.ts";
import { useKeys } from "../../app/keys.ts";
import { usePageTitle } from "../../app/page-title.ts";
import { useTypedText } from "../../app/typed-text.ts";
import classes from "./batch-page.module.css";
import { ClipTable } from "./clip-table.tsx";
import { CompareTab } from "./compare-tab.tsx";
import { ProgressBar } from "./progress-bar.tsx";
import { BATCH_STATES, CLIP_STATES, describePace, describeThrough } from "./state.ts";
import { useBatchClips, useBatches } from "./use-batches.ts";

const route = getRouteApi("/batches/$batchId");

/** One batch: how far it is, every clip with what came of it, and what other settings would have selected. */
export function BatchPage() {
  const { batchId } = route.useParams();
  const batches = useBatches();
  const batch = batches.data?.find(({ batch_id }) => batch_id === batchId);
  usePageTitle("Batches", batch?.name ?? null);
  if (batches.isError) {
    return (
      <EmptyState
        icon={<IconPlugConnectedX size={30} stroke={1.4} />}
        title="The batch could not be read"
        actions={<Button onClick={() => void batches.refetch()}>Try again</Button>}
      >
        {batches.error.message}
      </EmptyState>
    );
  }
  if (batches.data === undefined) return <output className={classes.waiting}>Opening the batch …</output>;
  if (batch === undefined) {
    return (
      <EmptyState
        icon={<IconStack2 size={30} stroke={1.4} />}
        title="There is no such batch"
        actions={
          <Button component={Link} to="/batches" variant="default">
            To the batches
          </Button>
        }
      >
        The address may be mistyped, or the batch is in another data folder.
      </EmptyState>
    );
  }
  return <Opened batch={batch} />;
}

function Opened({ batch }: { batch: Batch }) {
  const search = route.useSearch();
  const navigate = useNavigate({ from: "/batches/$batchId" });
  const clips = useBatchClips(batch.batch_id);
  const go = (change: Partial<typeof search>) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true });
  return (
    <div className={classes.page}>
      <Head batch={batch} />
      <Tabs
        value={search.tab ?? "clips"}
        onChange={(tab) => go({ tab: tab === "compare" ? "compare" : undefined })}
        className={classes.tabs}
        keepMounted={false}
      >
        <Tabs.List px={16}>
          <Tabs.Tab value="clips">Clips</Tabs.Tab>
          <Tabs.Tab value="compare">Against other settings</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="clips" className={classes.panel}>
          <Clips batch={batch} clips={clips} />
        </Tabs.Panel>
        <Tabs.Panel value="compare" className={classes.panel}>
          <CompareTab batch={batch} />
        </Tabs.Panel>
      </Tabs>
    </div>
  );
}

function Head({ batch }: { batch: Batch }) {
  const { batch_id, name, state, problem, clips, waiting, working, failed, settings, made_secs, pace } =
    batch;
  const cancel = useMutation(trpc.batches.cancel.mutationOptions());
  const resume = useMutation(trpc.batches.resume.mutationOptions());
  const retry = useMutation(trpc.batches.retry.mutationOptions());
  const is_working = state === "working";
  const left = waiting + working;
  const tryAgain = () => {
    if (!is_working && failed > 0) retry.mutate({ batch_id, places: null });
  };
  useKeys("Batch", [{ key: "R", label: "Try what failed again", run: tryAgain }]);
  const { tone, label } = BATCH_STATES[state];
  const report = (format: "csv" | "json") => ({
    component: "a" as const,
    href: `/media/batches/${batch_id}/failures.${format}`,
    download: `${name} failures.${format}`,
  });
  return (
    <header className={classes.head}>
      <div className={classes.top}>
        <div className={classes.title}>
          <h2>{name}</h2>
          <p>
            {formatNumberOf(clips, "clip")} · {describeSettings(settings)} · started{" "}
            {formatAgo(made_secs, Date.now() / 1000)}
          </p>
        </div>
        <div className={classes.actions}>
          {failed > 0 && (
            <Menu position="bottom-end">
              <Menu.Target>
                <Button size="xs" variant="default" leftSection={<IconDownload size={14} stroke={1.7} />}>
                  Report
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item {...report("csv")}>What failed, as CSV</Menu.Item>
                <Menu.Item {...report("json")}>What failed, as JSON</Menu.Item>
              </Menu.Dropdown>
            </Menu>
          )}
          {!is_working && failed > 0 && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconRefresh size={14} stroke={1.7} />}
              loading={retry.isPending}
              onClick={tryAgain}
            >
              Try the {failed} again
            </Button>
          )}
          {is_working ? (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlayerStop size={14} stroke={1.7} />}
              loading={cancel.isPending}
              onClick={() => cancel.mutate({ batch_id })}
            >
              Cancel
            </Button>
          ) : (
            left > 0 && (
              <Button
                size="xs"
                leftSection={<IconPlayerPlay size={14} stroke={1.7} />}
                loading={resume.isPending}
                onClick={() => resume.mutate({ batch_id })}
              >
                Go on with {formatCount(left)}
              </Button>
            )
          )}
        </div>
      </div>
      <ProgressBar batch={batch} />
      <div className={classes.pace} role="status" data-testid="pace">
        <Status tone={tone} label={label} />
        <span>{describeThrough(batch)}</span>
        {is_working && <span>{describePace(pace)}</span>}
      </div>
      {[problem, cancel.error?.message, resume.error?.message, retry.error?.message].map(
        (text) =>
          text != null && (
            <p key={text} className={classes.problem} role="alert">
              {text}
            </p>
          ),
      )}
    </header>
  );
}

const FILTERS: readonly (BatchClipState | "all")[] = ["all", "working", "waiting", "done", "there", "failed"];

function Clips({ batch, clips }: { batch: Batch; clips: ReturnType<typeof useBatchClips> }) {
  const { state, q = "" } = route.useSearch();
  const navigate = useNavigate({ from: "/batches/$batchId" });
  const go = (change: { state?: BatchClipState | undefined; q?: string | undefined }) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true });
  const typed = useTypedText(q, (text) => go({ q: text || undefined }));
  const filter = useRef<HTMLInputElement>(null);
  useKeys("Clips of the batch", [
    { key: "/", label: "Filter by name", run: () => filter.current?.focus() },
    { key: "ArrowUp ArrowDown", label: "Go to the clip above or below" },
  ]);
  const shown = useMemo(() => {
    const words = q.trim().toLowerCase();
    return clips.filter(
      (clip) =>
        (state === undefined || clip.state === state) &&
        (words === "" || `${clip.name} ${clip.problem ?? ""}`.toLowerCase().includes(words)),
    );
  }, [clips, state, q]);
  return (
    <>
      <div className={classes.filters}>
        <SegmentedControl
          size="xs"
          aria-label="Which clips"
          value={state ?? "all"}
          onChange={(value) => go({ state: value === "all" ? undefined : (value as BatchClipState) })}
          data={FILTERS.map((one) => ({
            value: one,
            label: one === "all" ? `All ${formatCount(batch.clips)}` : nameFilter(one, batch[one]),
          }))}
        />
        <TextInput
          ref={filter}
          size="xs"
          w={190}
          ml="auto"
          aria-label="Filter by name"
          placeholder="Filter"
          leftSection={<IconSearch size={13} stroke={1.7} />}
          {...typed}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            go({ q: undefined });
            event.currentTarget.blur();
          }}
        />
      </div>
      {clips.length === 0 ? (
        <output className={classes.waiting}>Reading the clips …</output>
      ) : shown.length === 0 ? (
        <EmptyState title="No clip is like that">Change the filter to see others.</EmptyState>
      ) : (
        <ClipTable clips={shown} is_working={batch.state === "working"} />
      )}
    </>
  );
}

function nameFilter(state: BatchClipState, count: number): string {
  const { label } = CLIP_STATES[state];
  return `${label.charAt(0).toUpperCase()}${label.slice(1)} ${formatCount(count)}`;
}
