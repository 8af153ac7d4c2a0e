import type { LineOf } from "@sightline/core/wire";
import { TraceText } from "@sightline/ui/trace-text";
import { Suspense, use, useState } from "react";
import { TracePanels } from "./panels.ts";
import classes from "./trace-inspector.module.css";

/** One reasoning output to look into. */
export type InspectedTrace = {
  text: string;
  /** What the model was given; null when it was not kept. */
  prompt: string | null;
  /** The line that a run wrote of it; null for one that somebody asked for on a clip. */
  completion: LineOf<"completion"> | null;
};

/** One reasoning output: its text, how it was read and scored, and what it cites. */
export function TraceInspector({ trace }: { trace: InspectedTrace }) {
  const panels = use(TracePanels);
  const [pointed, setPointed] = useState<number | null>(null);
  const { text, completion } = trace;
  return (
    <div className={classes.root}>
      <div className={classes.text}>
        <TraceText
          text={text}
          think={completion?.parse.think ?? null}
          answer={completion?.parse.answer ?? null}
        />
      </div>
      <div className={classes.side}>
        {completion !== null &&
          panels.map(({ id, label, Panel }) => (
            <section key={id} className={classes.panel} aria-label={label}>
              <h3 className={classes.title}>{label}</h3>
              <Suspense fallback={<p className={classes.hint}>Opening …</p>}>
                <Panel completion={completion} prompt={trace.prompt} pointed={pointed} onPoint={setPointed} />
              </Suspense>
            </section>
          ))}
      </div>
    </div>
  );
}
