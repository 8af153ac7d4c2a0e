import { Button, FileButton, NumberInput, SegmentedControl, TextInput } from "@mantine/core";
import { formatNumberOf } from "@sightline/core/format";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { client } from "../../../app/clients.ts";
import { notifyFailure } from "../../../app/notify.tsx";
import { toBase64 } from "./base64.ts";
import { getNumber, WORLD_FIELDS } from "./fields.ts";
import classes from "./launch-page.module.css";
import { OwnRewards } from "./own-rewards.tsx";
import { type Draft, NO_FILE } from "./preflight.ts";

/** What became of a person's question file. */
export type FileReport = Awaited<ReturnType<typeof client.training.checkFile.mutate>>;

type OnSet = (name: string, value: string | number | null) => void;

/** What a run learns on, and what it trains. */
export function DataAndModel({
  draft,
  report,
  onReport,
  onSet,
}: {
  draft: Draft;
  report: FileReport | null;
  onReport: (report: FileReport | null) => void;
  onSet: OnSet;
}) {
  if (draft.engine === "simulator")
    return (
      <section aria-label="Data and model">
        <h2 className={classes.heading}>Data and model</h2>
        <dl className={classes.facts}>
          <dt>Data</dt>
          <dd>512 invented questions of four tasks, from the seed</dd>
          <dt>Model</dt>
          <dd>none: a seeded model of how a small policy learns</dd>
          <dt>Judge</dt>
          <dd>simulated; fails when asked to</dd>
        </dl>
      </section>
    );
  return (
    <>
      <section aria-label="Data">
        <h2 className={classes.heading}>Data</h2>
        <DataChoice draft={draft} report={report} onReport={onReport} onSet={onSet} />
      </section>
      <section aria-label="Model">
        <h2 className={classes.heading}>Model</h2>
        <TextInput
          size="xs"
          aria-label="Model"
          description="tiny, a folder on the host with a model in Hugging Face's layout, or a hub id that the host has fetched"
          value={String(draft.settings.model ?? "tiny")}
          onChange={(event) => onSet("model", event.currentTarget.value)}
        />
        {draft.engine === "evaluate" && (
          <TextInput
            size="xs"
            label="Checkpoint"
            description="RUN_ID/STEP of a run on the same host; empty: the model before any training"
            placeholder="before any training"
            value={String(draft.settings.checkpoint ?? "")}
            onChange={(event) => onSet("checkpoint", event.currentTarget.value)}
          />
        )}
      </section>
      {draft.engine === "grpo" && <OwnRewards value={draft.settings.reward_file} onSet={onSet} />}
    </>
  );
}

function DataChoice({
  draft,
  report,
  onReport,
  onSet,
}: {
  draft: Draft;
  report: FileReport | null;
  onReport: (report: FileReport | null) => void;
  onSet: OnSet;
}) {
  const [isOwn, setOwn] = useState(typeof draft.settings.question_file === "string");
  const choose = (next: boolean) => {
    setOwn(next);
    onReport(null);
    onSet("question_file", next ? NO_FILE : null);
  };
  return (
    <div className={classes.data}>
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="Where the questions come from"
        value={isOwn ? "file" : "worlds"}
        data={[
          { value: "worlds", label: "Worlds" },
          { value: "file", label: "My questions" },
        ]}
        onChange={(value) => choose(value === "file")}
      />
      {isOwn ? (
        <QuestionFile report={report} onReport={onReport} onSet={onSet} />
      ) : (
        <div className={classes.worldFields}>
          {WORLD_FIELDS.map((field) => (
            <NumberInput
              key={field.name}
              size="xs"
              label={field.label}
              title={`${field.help} (${field.name})`}
              value={getNumber(draft.settings, field)}
              min={field.min}
              max={field.max}
              allowDecimal={false}
              clampBehavior="none"
              onChange={(value) => onSet(field.name, typeof value === "number" ? value : null)}
            />
          ))}
        </div>
      )}
    </div>
  );
}

/** The server takes 8,000,000 characters of base64. */
const MOST_BYTES = 6_000_000;

function QuestionFile({
  report,
  onReport,
  onSet,
}: {
  report: FileReport | null;
  onReport: (report: FileReport | null) => void;
  onSet: OnSet;
}) {
  const [name, setName] = useState<string | null>(null);
  const check = useMutation({
    mutationFn: async (file: File) =>
      client.training.checkFile.mutate({ base64: await toBase64(file, MOST_BYTES) }),
    onSuccess: (next) => {
      onReport(next);
      onSet("question_file", next.question_file ?? NO_FILE);
    },
    onError: (error) => notifyFailure("Could not check the file", error),
  });
  return (
    <>
      <FileButton
        accept=".jsonl,.ndjson,application/jsonl,application/x-ndjson,text/plain"
        onChange={(file) => {
          if (file === null) return;
          setName(file.name);
          onReport(null);
          onSet("question_file", NO_FILE);
          check.mutate(file);
        }}
      >
        {(props) => (
          <Button {...props} size="xs" variant="default" loading={check.isPending}>
            {name === null ? "Choose a JSONL file" : "Choose another file"}
          </Button>
        )}
      </FileButton>
      {report === null ? (
        <p className={classes.quiet}>
          One question a line: question, options, gold, task, and triples or video_text. Every line is checked
          before anything starts.
        </p>
      ) : (
        <Report name={name} report={report} />
      )}
    </>
  );
}

function Report({ name, report }: { name: string | null; report: FileReport }) {
  const tasks = Object.entries(report.tasks).map(([task, n]) => `${task.replaceAll("_", " ")} ${n}`);
  return (
    <div role="status">
      <p className={report.question_file === null ? classes.wrongWords : undefined}>
        {name}: {formatNumberOf(report.questions, "question")}
        {report.problems.length > 0 && `, ${formatNumberOf(report.problems.length, "line")} to mend`}
      </p>
      {report.problems.length === 0 ? (
        <p className={classes.quiet}>{tasks.join(", ")}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ol className={classes.problems} tabIndex={0}>
          {report.problems.map((problem) => (
            <li key={`${problem.line} ${problem.reason}`}>
              <span className={classes.quiet}>line {problem.line}</span> {problem.reason}
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
