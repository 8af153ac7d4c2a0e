import { Button, Radio } from "@mantine/core";
import type { AmbiguousName, QuestionSet } from "@sightline/core/benchmarks";
import type { Clip } from "@sightline/core/clips";
import { formatBytes, formatClock, formatNumberOf } from "@sightline/core/format";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { trpc } from "../../app/clients.ts";
import { useClips } from "../../app/clips.ts";
import { chooseClip } from "./commands.ts";
import classes from "./panel.module.css";

/** Names that several clips of the library have; a person says which clip the set means. */
export function AmbiguousNames({ set }: { set: QuestionSet }) {
  const names = useQuery(trpc.questions.ambiguous.queryOptions({ set_id: set.set_id }));
  const clips = useClips({ trash: false }).data ?? [];
  if (names.isError) return <p className={classes.fault}>{names.error.message}</p>;
  if (names.data === undefined) return <p className={classes.quiet}>Reading …</p>;
  return (
    <>
      <p className={classes.lead}>
        A question's clip is found by its name, without folder and extension. {describe(set)}
      </p>
      {names.data.map((name) => (
        <Name key={`${name.clip_key} ${name.chosen}`} set_id={set.set_id} name={name} clips={clips} />
      ))}
    </>
  );
}

function Name({
  set_id,
  name: { clip_key, clip_name, questions, clip_ids, chosen },
  clips,
}: {
  set_id: string;
  name: AmbiguousName;
  clips: readonly Clip[];
}) {
  // Shown at once; the server's word comes with a new key.
  const [meant, setMeant] = useState(chosen);
  const choose = (clip_id: string | null) => {
    setMeant(clip_id);
    void chooseClip(set_id, clip_key, clip_id).then((isDone) => !isDone && setMeant(chosen));
  };
  return (
    <section className={classes.block} aria-label={clip_name}>
      <h2 className={classes.name}>{clip_name}</h2>
      <Radio.Group
        size="xs"
        label={`${formatNumberOf(questions, "question")}. Which clip is meant?`}
        value={meant}
        onChange={choose}
      >
        <div className={classes.choices}>
          {clip_ids.map((clip_id) => {
            const clip = clips.find((one) => one.clip_id === clip_id);
            return (
              <Radio
                key={clip_id}
                size="xs"
                value={clip_id}
                label={clip?.name ?? "a clip in the trash"}
                description={
                  <>
                    {clip && `${formatClock(clip.duration_secs)} · ${formatBytes(clip.bytes)} · `}
                    <Link to="/clips/$clipId" params={{ clipId: clip_id }}>
                      Look
                    </Link>
                  </>
                }
              />
            );
          })}
        </div>
      </Radio.Group>
      {meant !== null && (
        <Button mt={6} size="compact-xs" variant="subtle" color="gray" onClick={() => choose(null)}>
          Leave it open
        </Button>
      )}
    </section>
  );
}

function describe({ matches }: QuestionSet): string {
  const parts = [
    matches.unmatched > 0 &&
      `${formatNumberOf(matches.unmatched, "question")} wait for a clip: they match when one of the name is added.`,
    matches.none > 0 && `${formatNumberOf(matches.none, "question")} name no clip.`,
    matches.ambiguous === 0 && "No name is open.",
  ];
  return parts.filter(Boolean).join(" ");
}
