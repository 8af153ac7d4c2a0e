import { Button, NumberInput, Progress, SegmentedControl } from "@mantine/core";
import type { Batch, ComparedClip } from "@sightline/core/batches";
import { formatCount, formatNumberOf } from "@sightline/core/format";
import { getPresetSettings, hashSettings, type KeyFrameSettings } from "@sightline/core/keyframes";
import { EmptyState } from "@sightline/ui/empty-state";
import { IconArrowsDiff } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { describeSettings } from "../../app/batches/describe.ts";
import { trpc } from "../../app/clients.ts";
import { readNumber } from "../../app/read-number.ts";
import { readSettings, writeSettings } from "../../app/settings-in-url.ts";
import classes from "./compare-tab.module.css";
import { countThrough } from "./state.ts";
import { useComparison } from "./use-batches.ts";
import { VirtualTable } from "./virtual-table.tsx";

const route = getRouteApi("/batches/$batchId");

/** What other settings select of a batch's clips: per clip and in all, the most different first. */
export function CompareTab({ batch }: { batch: Batch }) {
  const { against } = route.useSearch();
  const navigate = useNavigate({ from: "/batches/$batchId" });
  const other = useMemo(
    () => readSettings(against ?? {}, getOther(batch.settings)),
    [against, batch.settings],
  );
  const put = (next: KeyFrameSettings) =>
    void navigate({ search: (now) => ({ ...now, against: writeSettings(next) }), replace: true });
  const comparison = useComparison(batch.batch_id, other, countThrough(batch));
  const { clips, compared, problem } = comparison;
  const sorted = useMemo(() => sortByDifference(clips), [clips]);
  const sums = useMemo(() => summarise(clips), [clips]);
  const is_same = hashSettings(other) === batch.settings_hash;
  return (
    <>
      <div className={classes.bar}>
        <Letter letter="a" />
        <span className={classes.settings}>{describeSettings(batch.settings)}</span>
        <span className={classes.against}>against</span>
        <Letter letter="b" />
        <SegmentedControl
          size="xs"
          aria-label="Preset to compare with"
          value={other.preset}
          onChange={(preset) => put(getPresetSettings(preset as KeyFrameSettings["preset"]))}
          data={["sightline", "embodied-r"]}
        />
        <NumberInput
          size="xs"
          w={92}
          aria-label="Threshold to compare with"
          min={0}
          max={1}
          step={0.05}
          decimalScale={2}
          fixedDecimalScale
          value={other.threshold}
          onChange={(value) => put({ ...other, threshold: readNumber(value) ?? other.threshold })}
        />
        <span className={classes.sums} data-testid="comparison-summary">
          {sums.clips > 0 &&
            `${formatNumberOf(sums.clips, "clip")}: ${formatCount(sums.both)} by both, ${formatCount(sums.only_a)} by A alone, ${formatCount(sums.only_b)} by B alone · mean Jaccard ${sums.jaccard.toFixed(2)}`}
        </span>
      </div>
      {compared < batch.clips && problem === null && (
        <Progress
          value={(100 * compared) / Math.max(1, batch.clips)}
          size={3}
          radius={0}
          aria-label="Clips compared"
        />
      )}
      {problem !== null && (
        <p className={classes.problem} role="alert">
          {problem}
        </p>
      )}
      {is_same ? (
        <EmptyState
          icon={<IconArrowsDiff size={28} stroke={1.4} />}
          title="These are the batch's own settings"
        >
          Choose another preset or another threshold to see where they differ.
        </EmptyState>
      ) : compared >= batch.clips && sums.clips === 0 ? (
        <Nothing batch={batch} other={other} />
      ) : (
        <VirtualTable
          label="Clips by difference"
          columns="minmax(200px, 1fr) 88px 88px 88px 96px 96px 116px 110px"
          heads={[
            { label: "Clip" },
            { label: "Kept by A", is_number: true },
            { label: "Kept by B", is_number: true },
            { label: "By both", is_number: true },
            { label: "A alone", is_number: true },
            { label: "B alone", is_number: true },
            { label: "Jaccard", is_number: true },
            { label: "within ±1", is_number: true },
          ]}
          rows={sorted}
          keyOf={({ place }) => place}
          renderCells={(clip) => <Cells clip={clip} a={batch.settings} b={other} />}
        />
      )}
    </>
  );
}

/** The other preset as it comes. */
function getOther({ preset }: KeyFrameSettings): KeyFrameSettings {
  return getPresetSettings(preset === "sightline" ? "embodied-r" : "sightline");
}

function Letter({ letter }: { letter: "a" | "b" }) {
  return (
    <span className={classes.letter} data-letter={letter}>
      {letter.toUpperCase()}
    </span>
  );
}

/** Those that have no key-frames on one side come last. */
function sortByDifference(clips: readonly ComparedClip[]): ComparedClip[] {
  const rank = ({ agreement }: ComparedClip) => agreement?.jaccard ?? 2;
  const near = ({ agreement }: ComparedClip) => agreement?.jaccard_near ?? 2;
  return [...clips].sort((a, b) => rank(a) - rank(b) || near(a) - near(b) || a.place - b.place);
}

function summarise(clips: readonly ComparedClip[]) {
  const sums = { clips: 0, both: 0, only_a: 0, only_b: 0, jaccard: 0 };
  for (const { agreement } of clips) {
    if (agreement === null) continue;
    sums.clips += 1;
    sums.both += agreement.both;
    sums.only_a += agreement.only_a;
    sums.only_b += agreement.only_b;
    sums.jaccard += agreement.jaccard;
  }
  return { ...sums, jaccard: sums.jaccard / Math.max(1, sums.clips) };
}

function Cells({ clip, a, b }: { clip: ComparedClip; a: KeyFrameSettings; b: KeyFrameSettings }) {
  const { name, clip_id, agreement } = clip;
  const number = (value: number | string | undefined) => (
    <td data-number className={classes.number}>
      {value ?? "–"}
    </td>
  );
  return (
    <>
      <td title={name}>
        {clip_id === null ? (
          <span className={classes.name}>{name}</span>
        ) : (
          <Link
            className={classes.name}
            to="/clips/$clipId/compare-settings"
            params={{ clipId: clip_id }}
            search={{ a: writeSettings(a), b: writeSettings(b) }}
          >
            {name}
          </Link>
        )}
      </td>
      {number(agreement?.kept_a)}
      {number(agreement?.kept_b)}
      {number(agreement?.both)}
      {number(agreement?.only_a)}
      {number(agreement?.only_b)}
      <td data-number className={classes.number} data-testid="jaccard">
        {agreement === null ? (
          <span className={classes.none}>not looked at</span>
        ) : (
          <span className={classes.jaccard}>
            <svg width={48} height={6} aria-hidden>
              <rect className={classes.track} width={48} height={6} rx={3} />
              <rect className={classes.fill} width={48 * agreement.jaccard} height={6} rx={3} />
            </svg>
            {agreement.jaccard.toFixed(2)}
          </span>
        )}
      </td>
      {number(agreement?.jaccard_near.toFixed(2))}
    </>
  );
}

function Nothing({ batch, other }: { batch: Batch; other: KeyFrameSettings }) {
  const navigate = useNavigate();
  const { name, batch_id } = batch;
  const again = useMutation(
    trpc.batches.startLike.mutationOptions({
      onSuccess: ({ batch_id: batchId }) =>
        void navigate({ to: "/batches/$batchId", params: { batchId }, search: {} }),
    }),
  );
  return (
    <EmptyState
      icon={<IconArrowsDiff size={28} stroke={1.4} />}
      title="No clip has key-frames under these settings yet"
      actions={
        <Button
          loading={again.isPending}
          onClick={() => again.mutate({ batch_id, name: `${name} · ${other.preset}`, settings: other })}
        >
          Select them for the same clips
        </Button>
      }
    >
      {again.isError
        ? again.error.message
        : `${describeSettings(other)} sees the clips in another way, so they have to be looked at again, in a batch of its own.`}
    </EmptyState>
  );
}
