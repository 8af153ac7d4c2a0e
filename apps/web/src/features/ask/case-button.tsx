import { Button, Modal } from "@mantine/core";
import { findCited, leaveOut } from "@sightline/core/ask";
import type { Clip } from "@sightline/core/clips";
import { formatFrame } from "@sightline/core/perception";
import type { Trace } from "@sightline/core/traces";
import { type Case, CasePanel, drawCase } from "@sightline/ui/case-panel";
import { IconDownload, IconPhoto } from "@tabler/icons-react";
import { useState } from "react";
import { fetchInSession } from "../../app/clients.ts";
import { nameReasoner } from "../../app/reasoners/reasoners.ts";
import classes from "./ask-pane.module.css";

/** Shows a trace as one picture, with everything that led to it, and gives it as a file. */
export function CaseButton({ clip, trace }: { clip: Clip; trace: Trace }) {
  const [shown, setShown] = useState<Case | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [is_loading, setLoading] = useState(false);
  const open = async () => {
    setLoading(true);
    setProblem(null);
    try {
      setShown(await gatherCase(clip, trace));
    } catch (error) {
      setProblem(`The key-frames could not be fetched: ${error instanceof Error ? error.message : error}`);
    } finally {
      setLoading(false);
    }
  };
  return (
    <>
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconPhoto size={13} />}
        loading={is_loading}
        onClick={() => void open()}
      >
        Case panel
      </Button>
      {problem !== null && <p className={classes.problem}>{problem}</p>}
      <Modal
        opened={shown !== null}
        onClose={() => setShown(null)}
        title="Case panel"
        size={960}
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {shown !== null && (
          <>
            <CasePanel shown={shown} />
            <Button
              mt="sm"
              size="xs"
              leftSection={<IconDownload size={14} />}
              onClick={() => download(`${clip.name.replace(/\.[^.]+$/, "")} case.svg`, drawCase(shown))}
            >
              Download SVG
            </Button>
          </>
        )}
      </Modal>
    </>
  );
}

async function gatherCase(clip: Clip, trace: Trace): Promise<Case> {
  const { question, reading, judgement, triples, struck } = trace;
  const citations = findCited(trace);
  const left = leaveOut(triples, struck);
  const frames = await Promise.all(
    triples.map(async ({ index, frame, time_secs }) => ({
      index,
      frame,
      time_secs,
      image: await readPicture(clip.clip_id, frame),
      is_cited: citations.some((one) => one.index === index),
      is_struck: struck.some((one) => one.index === index && one.sentence === null),
    })),
  );
  return {
    title: clip.name,
    about: `${nameReasoner(trace.reasoner, [])} · ${new Date(trace.made_secs * 1000).toLocaleString()}`,
    frames,
    aspect: (clip.display_width ?? 16) / (clip.display_height ?? 9),
    question: question.text,
    options: question.options,
    gold: question.gold,
    answered: reading?.letter ?? null,
    judged: judgement?.letter ?? null,
    is_consistent: judgement === null || judgement.status !== "ok" ? null : judgement.agrees,
    told: triples.map((triple) => {
      const stays = left.find(({ index }) => index === triple.index);
      return { text: formatFrame(stays ?? triple, triple.index), is_struck: stays === undefined };
    }),
    chain: trace.text,
    think: reading?.think ?? null,
    answer: reading?.answer ?? null,
    citations: citations.map(({ from, to }) => [from, to]),
  };
}

/** A small picture of a frame as a data URL. */
async function readPicture(clip_id: string, frame: number): Promise<string> {
  const response = await fetchInSession(`/media/clips/${clip_id}/frames/${frame}.jpg?width=320`);
  if (!response.ok) throw new Error(`frame ${frame} (${response.status})`);
  const blob = await response.blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error(`frame ${frame}`));
    reader.readAsDataURL(blob);
  });
}

function download(name: string, svg: string): void {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
