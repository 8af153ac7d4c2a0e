import { Button, Progress } from "@mantine/core";
import type { Batch, BatchSource } from "@sightline/core/batches";
import { formatAgo, formatCount, formatNumberOf } from "@sightline/core/format";
import { EmptyState } from "@sightline/ui/empty-state";
import { Status } from "@sightline/ui/status";
import { IconPlugConnectedX, IconPlus, IconStack2 } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { describeSettings } from "../../app/batches/describe.ts";
import { askForBatch } from "../../app/batches/start-batch.tsx";
import { useKeys } from "../../app/keys.ts";
import { usePageTitle } from "../../app/page-title.ts";
import classes from "./batches.module.css";
import { BATCH_STATES, countThrough, describePace } from "./state.ts";
import { useBatches } from "./use-batches.ts";

/** All batches of key-frames: how far each is, and the way to start another. */
export function BatchesPage() {
  usePageTitle("Batches");
  const batches = useBatches();
  useKeys("Batches", [{ key: "N", label: "Start a batch", run: () => askForBatch() }]);
  return (
    <div className={classes.page}>
      <header className={classes.bar}>
        <span className={classes.count}>
          {batches.data && formatNumberOf(batches.data.length, "batch", "batches")}
        </span>
        <Button
          ml="auto"
          size="xs"
          leftSection={<IconPlus size={14} stroke={1.8} />}
          onClick={() => askForBatch()}
        >
          Start a batch
        </Button>
      </header>
      <div className={classes.scroll}>
        {batches.isError ? (
          <EmptyState
            icon={<IconPlugConnectedX size={30} stroke={1.4} />}
            title="The batches could not be read"
            actions={<Button onClick={() => void batches.refetch()}>Try again</Button>}
          >
            {batches.error.message}
          </EmptyState>
        ) : batches.data === undefined ? (
          <p className={classes.quiet}>Reading the batches …</p>
        ) : batches.data.length === 0 ? (
          <EmptyState
            icon={<IconStack2 size={30} stroke={1.4} />}
            title="No batch yet"
            actions={<Button onClick={() => askForBatch()}>Start a batch</Button>}
          >
            A batch selects the key-frames of many clips at once, of the library or of a folder, and says of
            each that failed why. It goes on where it was when the server is started again.
          </EmptyState>
        ) : (
          <table className={classes.list} aria-label="Batches">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">State</th>
                <th scope="col">Progress</th>
                <th scope="col" className={classes.number}>
                  Clips
                </th>
                <th scope="col" className={classes.number}>
                  Failed
                </th>
                <th scope="col">Settings</th>
                <th scope="col">Started</th>
              </tr>
            </thead>
            <tbody>
              {batches.data.map((batch) => (
                <Row key={batch.batch_id} batch={batch} />
              ))}
            </tbody>
          </table>
        )}
      </div>
    </div>
  );
}

const SOURCES: Record<BatchSource["kind"], string> = {
  clips: "selected clips",
  tag: "a tag",
  all: "the library",
  folder: "a folder",
};

function Row({ batch }: { batch: Batch }) {
  const { batch_id, name, state, clips, failed, settings, source, made_secs, pace } = batch;
  const { tone, label } = BATCH_STATES[state];
  const share = (100 * countThrough(batch)) / Math.max(1, clips);
  return (
    <tr data-testid="batch">
      <td className={classes.name}>
        <Link className={classes.link} to="/batches/$batchId" params={{ batchId: batch_id }}>
          {name}
        </Link>
        <span className={classes.badge}>{SOURCES[source.kind]}</span>
      </td>
      <td>
        <Status tone={tone} label={label} title={batch.problem ?? label} />
      </td>
      <td>
        <div className={classes.progress}>
          <Progress value={share} size={4} w={90} aria-label={`Progress of ${name}`} />
          <span className={classes.quiet}>
            {state === "working" ? describePace(pace) : `${Math.floor(share)} %`}
          </span>
        </div>
      </td>
      <td className={classes.number}>{formatCount(clips)}</td>
      <td className={classes.number} data-wrong={failed > 0 || undefined}>
        {failed === 0 ? "–" : formatCount(failed)}
      </td>
      <td className={classes.quiet}>{describeSettings(settings)}</td>
      <td className={classes.quiet}>{formatAgo(made_secs, Date.now() / 1000)}</td>
    </tr>
  );
}
