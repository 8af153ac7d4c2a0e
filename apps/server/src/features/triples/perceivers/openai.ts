import { createHash } from "node:crypto";
import { setMaxListeners } from "node:events";
import {
  DESCRIPTION_TOKENS,
  type Perceiver,
  parseDescription,
  writeFirstPrompt,
  writePairPrompt,
} from "@sightline/core/perception";
import PQueue from "p-queue";
import { explainFailure } from "../../../data-folder/explain-failure.ts";
import type { ChatPart, Endpoint, EndpointProblem, Endpoints } from "../../endpoints/index.ts";
import type { TripleStore } from "../store.ts";
import type { KeyFrame } from "../tables.ts";
import type { Perceive } from "./perceiver.ts";

type OpenAi = Extract<Perceiver, { kind: "openai" }>;

/** Raised whenever the same frame would be drawn otherwise. */
const DRAWING = 1;
/** Calls whose pictures are drawn in one pass over the clip. */
const DRAWN_TOGETHER = 16;
/** After so many key-frames without an answer, the endpoint is taken to be down. */
const FAILURES = 3;

/** Draws frames as JPEGs, by ordinal; one that can't be decoded is left out. */
export type DrawFrames = (
  clip_id: string,
  frames: number[],
  image_px: number,
  signal: AbortSignal,
) => Promise<Map<number, Buffer>>;

/** One call: the pictures that it shows, and what it asks. */
type Call = { index: number; frames: number[]; prompt: string };

/** The calls that describe the key-frames: the first alone, every later one with the one before it. */
export function planCalls(
  key_frames: readonly KeyFrame[],
  missing: readonly number[],
  question: string,
): Call[] {
  const first = writeFirstPrompt(question);
  const pair = writePairPrompt(question);
  return missing.map((index) => ({
    index,
    frames: key_frames.slice(Math.max(0, index - 1), index + 1).map(({ frame }) => frame),
    prompt: index === 0 ? first : pair,
  }));
}

/** Names an answer: equal for two calls with the same pictures, prompt, model and settings. */
export function getAnswerKey(
  clip_id: string,
  call: Call,
  { model, temperature, image_px }: OpenAi,
  { base_url }: Endpoint,
): string {
  const { frames, prompt } = call;
  const named = [
    base_url,
    model,
    temperature,
    DESCRIPTION_TOKENS,
    prompt,
    clip_id,
    frames,
    image_px,
    DRAWING,
  ];
  return createHash("sha256").update(JSON.stringify(named)).digest("hex");
}

/** A vision model behind an endpoint. Key-frames are independent of each other, so many are asked at the same time. */
export function createOpenAiPerceiver(parts: {
  endpoints: Endpoints;
  store: TripleStore;
  draw: DrawFrames;
}): Perceive<OpenAi> {
  const { endpoints, store, draw } = parts;
  return async ({ clip_id, perceiver, key_frames, missing, question, signal, put }) => {
    const endpoint = endpoints.get(perceiver.endpoint_id);
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    // Every call and every picture listens, and there are as many as there are key-frames.
    setMaxListeners(0, either);
    const failures: Error[] = [];

    const ask = async ({ index, prompt }: Call, key: string, pictures: readonly Buffer[]) => {
      const content: ChatPart[] = [
        ...pictures.map((jpeg): ChatPart => {
          const url = `data:image/jpeg;base64,${jpeg.toString("base64")}`;
          return { type: "image_url", image_url: { url } };
        }),
        { type: "text", text: prompt },
      ];
      const answer = await endpoints.chat(
        endpoint.endpoint_id,
        {
          model: perceiver.model,
          messages: [{ role: "user", content }],
          temperature: perceiver.temperature,
          max_tokens: DESCRIPTION_TOKENS,
        },
        { signal: either },
      );
      store.putAnswer(key, answer.text, answer.secs);
      put(index, parseDescription(answer.text, index === 0), {
        calls: answer.calls,
        prompt_tokens: answer.prompt_tokens ?? 0,
        completion_tokens: answer.completion_tokens ?? 0,
      });
    };

    const askOrNote = async (call: Call, key: string, drawing: Promise<Map<number, Buffer>>) => {
      try {
        const drawn = await drawing;
        const pictures = call.frames.map((frame) => drawn.get(frame));
        if (!pictures.every((jpeg) => jpeg !== undefined)) {
          throw new Error(`Frame ${call.frames.find((frame) => !drawn.has(frame))} can't be decoded.`);
        }
        await ask(call, key, pictures);
      } catch (error) {
        if (either.aborted) return;
        failures.push(error instanceof Error ? error : new Error(String(error)));
        const { is_passing = false, kind } = error as Partial<EndpointProblem>;
        const isDown = !is_passing || kind === "unreachable" || failures.length >= FAILURES;
        if (isDown) stop.abort();
      }
    };

    const open: { call: Call; key: string }[] = [];
    for (const call of planCalls(key_frames, missing, question)) {
      const key = getAnswerKey(clip_id, call, perceiver, endpoint);
      const known = store.getAnswer(key);
      if (known) put(call.index, parseDescription(known.raw, call.index === 0), { cached: 1 });
      else open.push({ call, key });
    }

    const queue = new PQueue({ concurrency: endpoint.concurrency });
    for (let at = 0; at < open.length && !stop.signal.aborted; at += DRAWN_TOGETHER) {
      // The next pictures are drawn while these are looked at, and no further ahead than that.
      await queue.onSizeLessThan(DRAWN_TOGETHER);
      signal.throwIfAborted();
      const together = open.slice(at, at + DRAWN_TOGETHER);
      const frames = [...new Set(together.flatMap(({ call }) => call.frames))];
      const drawing = draw(clip_id, frames, perceiver.image_px, either);
      // Whoever waits for it hears of its failure; nobody may, once all is stopped.
      drawing.catch(() => undefined);
      for (const { call, key } of together) {
        void queue.add(async () => {
          if (!either.aborted) await askOrNote(call, key, drawing);
        });
      }
    }
    await queue.onIdle();
    signal.throwIfAborted();
    const [first] = failures;
    if (first !== undefined) {
      throw new Error(`${explainFailure(first)} What was answered stays; going on asks for the rest only.`);
    }
  };
}
