/**
 * The key-frame extractor in a worker of the browser: the same code as the server's, on planes decoded here. Remembers
 * what it saw of the last clip, so that another threshold is answered from memory.
 */
import {
  createExtractor,
  createPairSource,
  decodeFeatures,
  type Extractor,
  type FrameFeatures,
  finishSelection,
  type GetPair,
  getEvidenceHash,
  type KeyFrameDecision,
  type KeyFrameSelection,
  type KeyFrameSettings,
  MissingPairError,
  needsCvToCompare,
  noteMissing,
  PairCache,
  type PairEvidence,
  sampleFrames,
  startChain,
  toSampledFrame,
} from "@sightline/core/keyframes";
import { answerCalls, breathe } from "../../../app/worker-calls/answer.ts";
import type { Call, ClipSource, Note } from "./messages.ts";

/** What was seen of a clip under some settings. */
type Evidence = {
  clip_id: string;
  evidence_hash: string;
  frames: FrameFeatures[];
  sampled: number;
  pairs: PairCache;
};

/** How long the worker may work before it lets messages through, in milliseconds. */
const BREATH_MS = 30;
/** Thresholds whose chains `prepare` compares pairs for. */
const PREPARED = Array.from({ length: 19 }, (_, i) => 0.05 * (i + 1));

const extractors = new Map<string, Promise<{ extractor: Extractor }>>();
let evidence: Evidence | null = null;

answerCalls<Call, Note, KeyFrameSelection>((call, { signal, note }) => {
  switch (call.type) {
    case "extract":
      return extract(call.clip, call.settings, signal, note);
    case "reselect":
      return reselect(call.clip_id, call.stored_hash, call.settings, signal);
    case "prepare":
      return prepare(call.clip_id, call.stored_hash, call.settings, signal);
  }
});

async function extract(
  clip: ClipSource,
  settings: KeyFrameSettings,
  signal: AbortSignal,
  note: (note: Note) => void,
): Promise<KeyFrameSelection> {
  const { readLuma } = await import("./decode-luma.ts");
  const { extractor } = await getExtractor(settings);
  const ordinals = sampleFrames(clip.table.time_secs, settings);
  const frames: FrameFeatures[] = [];
  for await (const plane of readLuma(clip, ordinals, signal)) {
    frames.push(extractor.describe(plane));
    note({ done: frames.length, total: ordinals.length });
    await breathe(signal);
  }
  evidence = {
    clip_id: clip.clip_id,
    evidence_hash: getEvidenceHash(settings),
    frames,
    sampled: ordinals.length,
    pairs: new PairCache(),
  };
  return select(evidence, settings, signal);
}

async function reselect(
  clip_id: string,
  stored_hash: string,
  settings: KeyFrameSettings,
  signal: AbortSignal,
): Promise<KeyFrameSelection> {
  return select(await getEvidence(clip_id, stored_hash, settings, signal), settings, signal);
}

/** Compares what other thresholds will need, those nearest to the present one first. */
async function prepare(
  clip_id: string,
  stored_hash: string,
  settings: KeyFrameSettings,
  signal: AbortSignal,
): Promise<KeyFrameSelection> {
  const seen = await getEvidence(clip_id, stored_hash, settings, signal);
  const nearest = PREPARED.toSorted(
    (a, b) => Math.abs(a - settings.threshold) - Math.abs(b - settings.threshold),
  );
  for (const threshold of nearest) await select(seen, { ...settings, threshold }, signal);
  return select(seen, settings, signal);
}

async function getEvidence(
  clip_id: string,
  stored_hash: string,
  settings: KeyFrameSettings,
  signal: AbortSignal,
): Promise<Evidence> {
  const evidence_hash = getEvidenceHash(settings);
  if (evidence?.clip_id === clip_id && evidence.evidence_hash === evidence_hash) return evidence;
  const query = new URLSearchParams({ settings_hash: stored_hash });
  const [features, pairs] = await Promise.all([
    fetchOk(`/media/clips/${clip_id}/features?${query}`, signal),
    fetchOk(`/media/clips/${clip_id}/pairs?${query}`, signal),
  ]);
  const frames = decodeFeatures(new Uint8Array(await features.arrayBuffer()));
  const known = (await pairs.json()) as PairEvidence[];
  evidence = { clip_id, evidence_hash, frames, sampled: frames.length, pairs: new PairCache(known) };
  return evidence;
}

async function fetchOk(path: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(path, { signal });
  if (response.ok) return response;
  const { message } = (await response.json().catch(() => ({}))) as { message?: string };
  throw new Error(message ?? `The server answered ${response.status}.`);
}

/** The chain, frame by frame, with a breath now and then; compares only pairs that nobody compared before. */
async function select(
  seen: Evidence,
  settings: KeyFrameSettings,
  signal: AbortSignal,
): Promise<KeyFrameSelection> {
  const { clip_id, frames, pairs, sampled } = seen;
  let compare = createPairSource(frames, pairs, null);
  const getPair: GetPair = (reference, frame) => compare(reference, frame);
  for (;;) {
    const chain = startChain(settings, getPair);
    try {
      let began = performance.now();
      for (const frame of frames) {
        chain.push(toSampledFrame(frame));
        if (performance.now() - began < BREATH_MS) continue;
        await breathe(signal);
        began = performance.now();
      }
    } catch (error) {
      if (!(error instanceof MissingPairError)) throw error;
      compare = createPairSource(frames, pairs, (await getExtractor(settings)).extractor);
      continue;
    }
    const decisions: KeyFrameDecision[] = chain.finish();
    return noteMissing(finishSelection(clip_id, frames, settings, decisions), sampled);
  }
}

/** OpenCV, 11 MB, is loaded only where it compares. Inside an object, for a promise must not resolve to a module of OpenCV. */
async function makeExtractor(settings: KeyFrameSettings): Promise<{ extractor: Extractor }> {
  if (!needsCvToCompare(settings)) return { extractor: createExtractor(null, settings) };
  const { loadOpenCv } = await import("./opencv.ts");
  const { cv } = await loadOpenCv();
  return { extractor: createExtractor(cv, settings) };
}

/** The same for all settings that share evidence. */
function getExtractor(settings: KeyFrameSettings): Promise<{ extractor: Extractor }> {
  const hash = getEvidenceHash(settings);
  let made = extractors.get(hash);
  if (made === undefined) {
    made = makeExtractor(settings);
    extractors.set(hash, made);
  }
  return made;
}
