import { Anchor, Button, Modal, Progress, Radio, Select, Stack } from "@mantine/core";
import { describeDecided } from "@sightline/core/decisions";
import type { ExportEntry } from "@sightline/core/exchange";
import { formatNumberOf } from "@sightline/core/format";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { trpc } from "../../app/clients.ts";
import { closeExchange, type ExportChoice } from "../../app/exchange/exchange.ts";
import { useJobs } from "../../app/jobs.ts";
import classes from "./exchange.module.css";
import { type ExportFormat, FORMATS } from "./formats.ts";

/** Chooses format and version, makes the file with its progress in view, and hands it over. */
export function ExportDialog({ clips }: { clips: readonly ExportChoice[] }) {
  const [format, setFormat] = useState<ExportFormat>("csv");
  const [version, setVersion] = useState<number | null>(null);
  const choices = clips.map((choice) => ({ ...choice, ...(version !== null && { version }) }));
  const plan = useQuery({ ...trpc.exchange.plan.queryOptions({ clips: choices }), staleTime: 0 });
  const entries = plan.data?.entries ?? [];
  const key_frames = entries.reduce((sum, entry) => sum + entry.key_frames, 0);
  const start = useMutation(trpc.exchange.start.mutationOptions());
  const cancel = useMutation(trpc.jobs.cancel.mutationOptions());
  const job = useJobs().find(({ job_id }) => job_id === start.data?.job.job_id) ?? start.data?.job ?? null;
  const is_working = start.isPending || job?.state === "running" || job?.state === "waiting";
  const address = job?.state === "done" ? `/exchange/exports/${start.data?.export_id}` : null;
  useEffect(() => {
    if (address !== null) save(address);
  }, [address]);
  const [only] = entries;

  return (
    <Modal
      opened
      onClose={closeExchange}
      title={clips.length === 1 ? "Export key-frames" : `Export key-frames of ${clips.length} clips`}
      size="lg"
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!is_working && entries.length > 0) start.mutate({ clips: choices, format });
        }}
      >
        <Stack gap="md">
          {clips.length === 1 && only !== undefined && (
            <VersionSelect entry={only} version={version} onVersion={setVersion} />
          )}
          <Radio.Group
            label="Format"
            value={format}
            onChange={(value) => {
              start.reset();
              setFormat(value as ExportFormat);
            }}
          >
            <Stack gap={10} mt={6}>
              {(Object.keys(FORMATS) as ExportFormat[]).map((one) => (
                <Radio
                  key={one}
                  size="xs"
                  value={one}
                  data-autofocus={one === "csv" || undefined}
                  label={
                    <>
                      {FORMATS[one].label} <span className={classes.base}>· {FORMATS[one].base}</span>
                    </>
                  }
                  description={FORMATS[one].description}
                />
              ))}
            </Stack>
          </Radio.Group>
          {plan.data !== undefined && plan.data.left_out.length > 0 && (
            <div className={classes.note} role="status">
              {formatNumberOf(plan.data.left_out.length, "clip")} left out:
              <ul className={classes.list}>
                {plan.data.left_out.slice(0, SHOWN).map(({ clip_id, clip_name, reason }) => (
                  <li key={clip_id}>
                    <b>{clip_name}</b> {reason}
                  </li>
                ))}
              </ul>
            </div>
          )}
          {[plan.error, start.error].map(
            (error) =>
              error !== null && (
                <p key={error.message} className={classes.problem} role="alert">
                  {error.message}
                </p>
              ),
          )}
          {job?.state === "failed" && (
            <p className={classes.problem} role="alert">
              {job.problem}
            </p>
          )}
          {job?.state === "cancelled" && <p className={classes.hint}>Cancelled. Nothing was saved.</p>}
          {is_working && (
            <Progress
              value={job?.total ? (job.done / job.total) * 100 : 100}
              animated={!job?.total}
              size={4}
              aria-label="Exporting"
            />
          )}
          <div className={classes.foot}>
            <p className={classes.hint} data-testid="export-summary" role="status">
              {plan.isPending ? (
                "Looking for what there is to export …"
              ) : address === null ? (
                summarise(entries, key_frames, format)
              ) : (
                <>
                  Saved as{" "}
                  <Anchor size="xs" href={address} download>
                    {start.data?.name}
                  </Anchor>
                </>
              )}
            </p>
            {is_working ? (
              <Button variant="default" onClick={() => job !== null && cancel.mutate({ job_id: job.job_id })}>
                Cancel
              </Button>
            ) : (
              <Button type="submit" disabled={entries.length === 0}>
                Export
              </Button>
            )}
          </div>
        </Stack>
      </form>
    </Modal>
  );
}

const SHOWN = 8;

/** "12 key-frames · version 3", of several clips "7 clips · 81 key-frames · newest versions". */
function summarise(entries: readonly ExportEntry[], key_frames: number, format: ExportFormat): string {
  const [only] = entries;
  if (only === undefined) return "No key-frames to export.";
  const frames = formatNumberOf(key_frames, "key-frame");
  const described = entries.reduce((sum, entry) => sum + entry.described_questions, 0);
  const processed =
    format !== "released"
      ? ""
      : described === 0
        ? " · no triples of these key-frames, so no processed JSON"
        : ` · processed JSON of ${formatNumberOf(described, "question")}`;
  const held =
    entries.length === 1
      ? `${frames} · version ${only.version}`
      : `${formatNumberOf(entries.length, "clip")} · ${frames} · newest versions`;
  return held + processed;
}

function VersionSelect({
  entry,
  version,
  onVersion,
}: {
  entry: ExportEntry;
  version: number | null;
  onVersion(version: number | null): void;
}) {
  const { clip_id, settings_hash } = entry;
  const decided = useQuery(trpc.decisions.list.queryOptions({ clip_id }));
  const history = decided.data?.decisions.filter((one) => one.settings_hash === settings_hash) ?? [];
  const data = [
    ...history
      .map((decision, at) => ({
        value: String(decision.version),
        label: `Version ${decision.version}${at === history.length - 1 ? ", the newest" : ""}: ${decision.author} ${describeDecided(decision)}`,
      }))
      .reverse(),
    { value: "0", label: "Version 0: as the extractor selected" },
  ];
  return (
    <Select
      label="Version"
      data={data}
      value={String(version ?? history.length)}
      allowDeselect={false}
      searchable={data.length > 8}
      onChange={(value) => onVersion(value === null ? null : Number(value))}
    />
  );
}

/** Lets the browser fetch and keep a file. */
function save(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
