import { Button, FileButton, Modal } from "@mantine/core";
import { type Asked, judgeText, type ReadOutput, type ReadOutputs, readOutputs } from "@sightline/core/ask";
import { readTrace } from "@sightline/core/traces";
import { TraceText } from "@sightline/ui/trace-text";
import { IconFileText } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import classes from "./evaluate.module.css";

const MOST_SHOWN = 500;

/** Outputs that others' models wrote, read by both rule sets. Nothing of them is kept. */
export function Outputs() {
  const [opened, setOpened] = useState<{ name: string; read: ReadOutputs } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const open = async (file: File) => {
    setProblem(null);
    try {
      setOpened({ name: file.name, read: readOutputs(await file.text()) });
    } catch (error) {
      setProblem(`${file.name} could not be read: ${error instanceof Error ? error.message : error}`);
    }
  };
  return (
    <div>
      <FileButton accept=".json,.jsonl,.ndjson,.csv" onChange={(file) => file !== null && void open(file)}>
        {(props) => (
          <Button
            {...props}
            size="xs"
            variant="default"
            leftSection={<IconFileText size={14} stroke={1.7} />}
          >
            Read others' outputs
          </Button>
        )}
      </FileButton>
      {problem !== null && <p className={classes.problem}>{problem}</p>}
      <Modal
        opened={opened !== null}
        onClose={() => setOpened(null)}
        title={opened === null ? "" : `${opened.name} · made elsewhere, only read`}
        size={1080}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {opened !== null && <Report read={opened.read} />}
      </Modal>
    </div>
  );
}

const toAsked = ({ question, options, gold, kind }: ReadOutput): Asked => ({
  text: question,
  // A file that does not say its options still has letters.
  options: options.texts.length > 0 ? [...options.texts] : Array.from({ length: options.count }, () => ""),
  gold,
  kind,
  task: "",
});

function Report({ read: { outputs, set_aside, bad_lines } }: { read: ReadOutputs }) {
  const read = useMemo(
    () =>
      outputs.map((output) => {
        const asked = toAsked(output);
        return {
          output,
          ours: judgeText(output.text, asked, "sightline"),
          released: judgeText(output.text, asked, "embodied-r"),
        };
      }),
    [outputs],
  );
  const [opened, setOpened] = useState<number | null>(null);
  const count = (list: readonly { accuracy: number | null }[]) =>
    list.filter(({ accuracy }) => accuracy === 1).length;
  const scored = read.filter(({ ours }) => ours.accuracy !== null);
  return (
    <div className={classes.view}>
      <p className={classes.hint} data-testid="outputs-summary">
        {outputs.length} outputs, {scored.length} with a right answer to hold them to. Right by our reading:{" "}
        {count(scored.map(({ ours }) => ours))}; as the released code reads:{" "}
        {count(scored.map(({ released }) => released))}.
        {set_aside.length > 0 && ` Set aside: ${set_aside.length} rows (${set_aside[0]?.reason}).`}
        {bad_lines.length > 0 && ` Not readable: line ${bad_lines[0]?.line} (${bad_lines[0]?.reason}).`}
      </p>
      <ul className={classes.rows}>
        {read.slice(0, MOST_SHOWN).map(({ output, ours, released }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: ids of a foreign file may repeat.
          <li key={at} data-testid="output">
            <button
              type="button"
              className={classes.item}
              aria-expanded={opened === at}
              onClick={() => setOpened(opened === at ? null : at)}
            >
              <span className={classes.name}>{output.question.slice(-160) || output.id}</span>
              <span className={classes.hint}>
                {output.id} · gold {output.gold ?? "–"} · ours {ours.reading.letter ?? "–"}{" "}
                {sayMark(ours.accuracy)} ({ours.reading.reason ?? ours.reading.rule}) · released{" "}
                {released.reading.letter ?? "–"} {sayMark(released.accuracy)} · format {ours.format}
                {ours.reading.problems.length > 0 && `: ${ours.reading.problems.join(", ")}`}
              </span>
            </button>
            {opened === at && <Opened output={output} />}
          </li>
        ))}
      </ul>
      {read.length > MOST_SHOWN && <p className={classes.hint}>The first {MOST_SHOWN} are listed.</p>}
    </div>
  );
}

function Opened({ output: { text, options } }: { output: ReadOutput }) {
  const { think, answer } = readTrace(text, options);
  return (
    <div className={classes.opened}>
      <TraceText text={text} think={think} answer={answer} />
    </div>
  );
}

const sayMark = (accuracy: number | null) => (accuracy === null ? "" : accuracy === 1 ? "✓" : "✗");
