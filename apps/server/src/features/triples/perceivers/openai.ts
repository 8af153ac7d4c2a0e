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
import type { ChatPart, Endpoint, EndpointProblem, Endpoints } from "../../endpoints/index.ts";
import type { TripleStore } from "../store.ts";
import type { KeyFrame } from "../tables.ts";
import type { Perceive } from "./perceiver.ts";

type OpenAi = Extract<Perceiver, { kind: "openai" }>;

/** Raised whenever the same frame would be drawn otherwise. */
const DRAWING = 1;
/** After so many key-frames without an answer, the endpoint is taken to be down. */
const FAILURES = 3;

export type DrawFrame = (
  clip_id: string,
  frame: number,
  image_px: number,
  signal: AbortSignal,
) => Promise<Buffer>;

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
  draw: DrawFrame;
}): Perceive<OpenAi> {
  const { endpoints, store, draw } = parts;
  return async ({ clip_id, perceiver, key_frames, missing, question, signal, put }) => {
    const endpoint = endpoints.get(perceiver.endpoint_id);
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    // Every call and every picture listens, and there are as many as there are key-frames.
    setMaxListeners(0, either);
    const failures: Error[] = [];
    const drawn = new Map<number, Promise<Buffer>>();

    const drawOnce = (frame: number, isLast: boolean): Promise<Buffer> => {
      const picture = drawn.get(frame) ?? draw(clip_id, frame, perceiver.image_px, either);
      // A key-frame is shown twice: as the later picture of one call, then as the earlier one of the next.
      if (isLast) drawn.set(frame, picture);
      else drawn.delete(frame);
      return picture;
    };

    const ask = async (call: Call) => {
      const { index, frames, prompt } = call;
      const key = getAnswerKey(clip_id, call, perceiver, endpoint);
      const known = store.getAnswer(key);
      if (known) return put(index, parseDescription(known.raw, index === 0), { cached: 1 });
      const pictures = await Promise.all(frames.map((frame, k) => drawOnce(frame, k === frames.length - 1)));
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

    const askOrNote = async (call: Call) => {
      try {
        await ask(call);
      } catch (error) {
        signal.throwIfAborted();
        if (stop.signal.aborted) return;
        failures.push(error instanceof Error ? error : new Error(String(error)));
        const { is_passing = false, kind } = error as Partial<EndpointProblem>;
        const isDown = !is_passing || kind === "unreachable" || failures.length >= FAILURES;
        if (isDown) stop.abort();
      }
    };

    const calls = planCalls(key_frames, missing, question);
    const queue = new PQueue({ concurrency: endpoint.concurrency });
    await queue.addAll(
      calls.map((call) => async () => {
        if (!stop.signal.aborted) await askOrNote(call);
      }),
    );
    const [first] = failures;
    if (first !== undefined) {
      throw new Error(`${first.message} What was answered stays; going on asks for the rest only.`);
    }
  };
}
