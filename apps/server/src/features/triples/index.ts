import {
  DESCRIPTION_TOKENS,
  EMBEDDED_VERSION,
  ORACLE_VERSION,
  type Perceiver,
  PROMPT_VERSION,
} from "@sightline/core/perception";
import type { World } from "@sightline/core/worlds";
import type { Logger } from "pino";
import type { Db } from "../../db/open.ts";
import type { Clips } from "../clips/index.ts";
import type { Decisions } from "../decisions/index.ts";
import type { Endpoints } from "../endpoints/index.ts";
import type { Jobs } from "../jobs/tray.ts";
import type { KeyFrames } from "../keyframes/index.ts";
import { createEmbeddedPerceiver } from "./perceivers/embedded.ts";
import { createOpenAiPerceiver, getAnswerKey, planCalls } from "./perceivers/openai.ts";
import { createOraclePerceiver } from "./perceivers/oracle.ts";
import type { Perceive } from "./perceivers/perceiver.ts";
import { createTripleService } from "./service.ts";
import { createTripleStore } from "./store.ts";
import type { KeyFrame } from "./tables.ts";
import type { TripleEstimate, TripleParts, Triples } from "./types.ts";

export type { ImportedTriples, TripleEstimate, TriplePlan, Triples } from "./types.ts";

/** Characters of English a token, and pixels of a picture a token: Qwen2.5-VL's, as a rough measure for all. */
const CHARS_A_TOKEN = 4;
const PIXELS_A_TOKEN = 28 * 28;
const ANSWER_TOKENS = 150;

/** Call `startUp` once the app stands. */
export function createTriples(parts: {
  db: Db;
  clips: Clips;
  keyframes: KeyFrames;
  decisions: Decisions;
  endpoints: Endpoints;
  jobs: Jobs;
  log: Logger;
  /** The world that a rendered clip shows; null for any other clip. */
  findWorld(clip_id: string): World | null;
}): Triples {
  const { clips, keyframes, decisions, endpoints, jobs, log, findWorld } = parts;
  const { library, pool, drawing } = clips;
  const store = createTripleStore(parts.db);

  const perceivers: TripleParts["perceivers"] = {
    embedded: createEmbeddedPerceiver((clip_id, frames, signal, report) =>
      pool.run(
        "detect",
        { file: library.getFile(clip_id), index: library.getFrames(clip_id), frames },
        { lane: "background", signal, onProgress: report },
      ),
    ) as Perceive,
    openai: createOpenAiPerceiver({ endpoints, store, draw: drawing.draw }) as Perceive,
    oracle: createOraclePerceiver(findWorld) as Perceive,
  };

  const nothing: Omit<TripleEstimate, "key_frames"> = {
    calls: 0,
    cached: 0,
    pictures: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    secs: null,
  };

  const estimateCalls: TripleParts["estimateCalls"] = ({ clip_id, perceiver, question }, key_frames) => {
    if (perceiver.kind !== "openai") return nothing;
    const endpoint = endpoints.get(perceiver.endpoint_id);
    const planned = planCalls(
      key_frames,
      key_frames.map((_, index) => index),
      question,
    );
    const asked = planned.filter(
      (call) => store.getAnswer(getAnswerKey(clip_id, call, perceiver, endpoint)) === null,
    );
    const pictures = asked.reduce((sum, { frames }) => sum + frames.length, 0);
    const { width, height } = drawing.getSize(clip_id, perceiver.image_px);
    const text = asked.reduce((sum, { prompt }) => sum + prompt.length / CHARS_A_TOKEN, 0);
    const like = store
      .listLately(200)
      .find(
        ({ perceiver: before, calls, secs }) =>
          before.kind === "openai" &&
          before.model === perceiver.model &&
          before.endpoint_id === perceiver.endpoint_id &&
          calls > 0 &&
          secs > 0,
      );
    return {
      calls: asked.length,
      cached: planned.length - asked.length,
      pictures,
      prompt_tokens: Math.round(text + pictures * Math.ceil((width * height) / PIXELS_A_TOKEN)),
      completion_tokens: asked.length * Math.min(ANSWER_TOKENS, DESCRIPTION_TOKENS),
      secs: like ? (like.secs / like.calls) * asked.length : null,
    };
  };

  return createTripleService({
    store,
    jobs,
    log,
    perceivers,
    nameModel: (perceiver) => namePerceiver(perceiver, endpoints),
    getClipName: (clip_id) => library.get(clip_id).name,
    canPerceive: (clip_id, kind) => kind !== "oracle" || findWorld(clip_id) !== null,
    getSelection: keyframes.getStored,
    getVersion: decisions.getVersion,
    lookAtMotions: decisions.lookAtMotions,
    getAuthor: () => decisions.getSignature().name,
    estimateCalls: (plan, key_frames: readonly KeyFrame[]) => estimateCalls(plan, key_frames),
  });
}

function namePerceiver(perceiver: Perceiver, endpoints: Endpoints): string {
  if (perceiver.kind === "imported") return perceiver.source;
  if (perceiver.kind !== "openai") return perceiver.kind;
  return `${perceiver.model} · ${endpoints.get(perceiver.endpoint_id).name}`;
}

/** What a browser says of a perceiver; versions are the server's to know. */
export type PerceiverChoice =
  | { kind: "embedded" }
  | { kind: "oracle" }
  | { kind: "openai"; endpoint_id: string; model: string; temperature: number; image_px: number };

export function toPerceiver(choice: PerceiverChoice): Perceiver {
  if (choice.kind === "openai") return { ...choice, prompt_version: PROMPT_VERSION };
  return { kind: choice.kind, version: choice.kind === "oracle" ? ORACLE_VERSION : EMBEDDED_VERSION };
}
