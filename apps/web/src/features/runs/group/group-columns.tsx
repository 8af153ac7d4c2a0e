import { findCites } from "@sightline/core/ask";
import type { CompletionGroup } from "@sightline/core/runs";
import { findDifferences } from "@sightline/core/traces";
import { type Completion, CompletionColumn, isHeldOut, orderByAdvantage } from "@sightline/ui/group-grid";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { PictureStrip, type Pictures, usePictures } from "../../../app/trace/index.tsx";
import classes from "./group-page.module.css";
import type { GroupView } from "./use-group-view.ts";

/** The completions side by side under the pictures that they cite, with what differs between them. */
export function Columns({ group, view }: { group: CompletionGroup; view: GroupView }) {
  const first = group.completions[0] as Completion;
  const pictures = usePictures(first);
  const [pointed, setPointed] = useState<number | null>(null);
  const navigate = useNavigate();
  const { completions, prompt } = group;
  const against = completions.findIndex(({ k }) => k === view.against);
  const differences = useMemo(
    () =>
      findDifferences(
        completions.map(({ text }) => text),
        against < 0 ? null : against,
      ),
    [completions, against],
  );
  const cites = useMemo(
    () => completions.map(({ text }) => listCites(text, prompt, pictures)),
    [completions, prompt, pictures],
  );
  const cited = useMemo(() => {
    const times = new Map<number, number>();
    for (const { index } of cites.flat()) times.set(index, (times.get(index) ?? 0) + 1);
    return times;
  }, [cites]);
  const ordered = view.isByNumber ? completions : orderByAdvantage(completions);
  const open = (index: number) => {
    const frame = pictures?.frames[index]?.frame ?? null;
    if (pictures?.clip && frame !== null)
      void navigate({ to: "/clips/$clipId", params: { clipId: pictures.clip.clip_id }, search: { frame } });
    else setPointed(index);
  };
  return (
    <>
      {pictures === null ? (
        <p className={classes.waiting}>Looking for the pictures …</p>
      ) : (
        <PictureStrip pictures={pictures} line={first} cited={cited} pointed={pointed} onPoint={setPointed} />
      )}
      {differences === null && (
        <p className={classes.note}>These texts are too long to be compared word by word.</p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.columns} tabIndex={0} aria-label="Completions">
        {ordered.map((completion) => {
          const at = completions.indexOf(completion);
          return (
            <CompletionColumn
              key={completion.k}
              completion={completion}
              gold={group.gold}
              differs={at === against ? undefined : differences?.[at]}
              citations={cites[at] ?? []}
              pointed={pointed}
              onCite={open}
              onPoint={setPointed}
              actions={
                <>
                  <button type="button" className={classes.action} onClick={() => view.open(completion.k)}>
                    Look into {completion.k + 1}
                  </button>
                  {completions.length > 1 && !isHeldOut(completion) && (
                    <button
                      type="button"
                      className={classes.action}
                      aria-pressed={at === against}
                      onClick={() => view.compare(at === against ? null : completion.k)}
                    >
                      {at === against ? "The others are held against it" : "Hold the others against it"}
                    </button>
                  )}
                </>
              }
            />
          );
        })}
      </section>
    </>
  );
}

function listCites(text: string, prompt: string | null, pictures: Pictures | null) {
  return pictures === null
    ? []
    : findCites({ text, prompt }, pictures.frames, pictures.triples, pictures.world);
}
