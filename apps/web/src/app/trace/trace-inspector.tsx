import { Button } from "@mantine/core";
import { type Asked, findCites } from "@sightline/core/ask";
import { readQuestion } from "@sightline/core/links";
import type { CompletionAccount } from "@sightline/core/rewards";
import type { LineOf } from "@sightline/core/wire";
import { findLetter } from "@sightline/ui/group-grid";
import { RawText, type Span, TraceText } from "@sightline/ui/trace-text";
import { useNavigate } from "@tanstack/react-router";
import { Suspense, use, useMemo, useState } from "react";
import { useKeys } from "../keys.ts";
import { TracePanels } from "./panels.ts";
import { PictureStrip } from "./picture-strip.tsx";
import { Reading } from "./reading.tsx";
import { RewardAccount } from "./reward-account.tsx";
import classes from "./trace-inspector.module.css";
import { type Pictures, usePictures } from "./use-pictures.ts";

/** One completion of a run, looked into: pictures and text that light up together, how it was read, scored and judged. */
export function TraceInspector({
  completion,
  prompt,
  account = null,
  hits,
}: {
  completion: LineOf<"completion">;
  /** Of its group; null when it was not kept. */
  prompt: string | null;
  /** How its reward and advantage came about; null where its group is not known. */
  account?: CompletionAccount | null;
  /** Words that were looked for, in UTF-16 offsets. */
  hits?: readonly Span[] | undefined;
}) {
  const panels = use(TracePanels);
  const navigate = useNavigate();
  const [pointed, setPointed] = useState<number | null>(null);
  const [isRaw, setRaw] = useState(false);
  useKeys("Trace", [{ key: "r", label: "Raw text, or as it reads", run: () => setRaw(!isRaw) }]);
  const pictures = usePictures(completion);
  const { text, parse } = completion;
  const asked = useMemo<Asked | null>(
    () => readQuestion(completion, prompt, pictures?.world ?? null),
    [completion, prompt, pictures],
  );
  const cites = useMemo(
    () =>
      pictures === null ? [] : findCites({ text, prompt }, pictures.frames, pictures.triples, pictures.world),
    [text, prompt, pictures],
  );
  const cited = useMemo(() => count(cites.map(({ index }) => index)), [cites]);
  // Panels speak of the number that stands in the text: of a move from 1, of a frame from 0.
  const toPoint = (index: number | null) => cites.find((one) => one.index === index)?.point ?? index;
  const toIndex = (point: number | null) => cites.find((one) => one.point === point)?.index ?? point;
  const open = (index: number) => openFrame(pictures, index, navigate, setPointed);
  return (
    <div className={classes.inspector} data-testid="inspector">
      {pictures === null ? (
        <p className={classes.waiting}>Looking for its pictures …</p>
      ) : (
        <PictureStrip pictures={pictures} line={null} cited={cited} pointed={pointed} onPoint={setPointed} />
      )}
      <div className={classes.root}>
        <div className={classes.main}>
          <article className={classes.text} aria-label={`Completion ${completion.k + 1}`}>
            <header className={classes.head}>
              <h3 className={classes.title}>{isRaw ? "Raw text" : "Reasoning and answer"}</h3>
              <Button size="compact-xs" variant="default" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
                Raw text (R)
              </Button>
            </header>
            {isRaw ? (
              <RawText text={text} />
            ) : (
              <TraceText
                text={text}
                think={parse.think}
                answer={parse.answer}
                letter={findLetter(text, parse.answer, parse.letter)}
                truncated={completion.finish === "length"}
                citations={cites}
                pointed={pointed}
                hits={hits}
                onCite={open}
                onPoint={setPointed}
              />
            )}
            <details className={classes.prompt}>
              <summary>What it read</summary>
              <pre>{prompt ?? "The prompt was not kept."}</pre>
            </details>
          </article>
          <Reading
            text={text}
            asked={asked}
            prompt={prompt}
            emitted={completion}
            judges={completion.judges}
            length={sayLength(completion)}
          />
          {account !== null && completion.split !== "eval" && <RewardAccount account={account} />}
        </div>
        <div className={classes.side}>
          {panels.map(({ id, label, Panel }) => (
            <section key={id} className={classes.panel} aria-label={label}>
              <h3 className={classes.title}>{label}</h3>
              <Suspense fallback={<p className={classes.quiet}>Opening …</p>}>
                <Panel
                  completion={completion}
                  prompt={prompt}
                  pointed={toPoint(pointed)}
                  onPoint={(point) => setPointed(toIndex(point))}
                />
              </Suspense>
            </section>
          ))}
        </div>
      </div>
    </div>
  );
}

function openFrame(
  pictures: Pictures | null,
  index: number,
  navigate: ReturnType<typeof useNavigate>,
  onPoint: (index: number) => void,
): void {
  const frame = pictures?.frames[index]?.frame ?? null;
  if (pictures?.clip && frame !== null)
    void navigate({ to: "/clips/$clipId", params: { clipId: pictures.clip.clip_id }, search: { frame } });
  else onPoint(index);
}

function count(indices: readonly number[]): Map<number, number> {
  const times = new Map<number, number>();
  for (const index of indices) times.set(index, (times.get(index) ?? 0) + 1);
  return times;
}

function sayLength({ tokens, finish, truncated_at }: LineOf<"completion">): string {
  const end = finish === "length" ? "cut at the longest length" : "ended by itself";
  return `${tokens.toLocaleString("en")} tokens, ${end}${truncated_at === null ? "" : `; only the first ${truncated_at.toLocaleString("en")} characters were kept`}`;
}
