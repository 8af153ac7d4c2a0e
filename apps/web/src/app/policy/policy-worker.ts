/** Policies in a worker of the browser: transformers.js on ONNX Runtime, with files from this server, and from the hub that it sends on to. */
import {
  AutoModelForCausalLM,
  AutoTokenizer,
  env,
  InterruptableStoppingCriteria,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  Tensor,
  TextStreamer,
} from "@huggingface/transformers";
import { PolicyCard, type PolicyDtype, type PolicySource, spaceTags } from "@sightline/core/policies";
import { ORT_FILES } from "../onnx-runtime.ts";
import { answerCalls, breathe } from "../worker-calls/answer.ts";
import type { Call, Note, Result } from "./messages.ts";
import { explainStart, findDtype, getBase, readKey } from "./model-files.ts";
import type { Generated, LoadProgress } from "./types.ts";

/** A policy that is ready. */
type Loaded = {
  key: string;
  /** Address of its files. */
  base: string;
  /** Null for a model that is not one of ours. */
  card: PolicyCard | null;
  tokenizer: PreTrainedTokenizer;
  model: PreTrainedModel;
  /** Loaded at the first judgement. */
  reference: Promise<PreTrainedModel> | null;
};

/** Told of bytes that have come, and of bytes that are to come in all; each number once. */
type OnBytes = (loaded: number, total: number) => void;

/** Tokens that a model which names no limit of its own may write. */
const DEFAULT_TOKENS = 512;

env.allowLocalModels = true;
env.allowRemoteModels = false;
env.useBrowserCache = false;
env.useWasmCache = false;
// Only weights are broken off: what could not be looked up of a small file is remembered as missing. They are counted
// here because the library, where it counts, asks for all weights twice.
env.fetch = async (input: string | URL, init?: RequestInit) => {
  if (fetching === null || !/\.onnx(_data\w*)?$/.test(String(input))) return fetch(input, init);
  const { signal, onBytes } = fetching;
  return countBytes(await fetch(input, { ...init, signal }), onBytes);
};
const { wasm } = env.backends.onnx;
if (wasm) {
  wasm.wasmPaths = { ...ORT_FILES };
  wasm.numThreads = 1;
}

let loaded: Loaded | null = null;
/** How weights that are fetched can be broken off, and who counts their bytes. */
let fetching: { signal: AbortSignal; onBytes: OnBytes } | null = null;

answerCalls<Call, Note, Result>(async (call, { signal, note }) => {
  if (call.type === "load") {
    await load(call.source, signal, note);
    return { loaded: true };
  }
  if (loaded === null) throw new Error("No policy is loaded. Choose one and ask again.");
  if (call.type === "judge") return { letter: await judge(loaded, call.question, call.think, call.letters) };
  return { generated: await generate(loaded, call, signal, note) };
});

async function load(
  source: PolicySource,
  signal: AbortSignal,
  onProgress: (progress: LoadProgress) => void,
): Promise<void> {
  const base = getBase(source);
  const key = await readKey(source, signal);
  if (loaded?.key === key) return;
  const old = loaded;
  loaded = null;
  await old?.model.dispose();
  await (await old?.reference)?.dispose();

  const card = source.kind === "run" ? await readCard(base, signal) : null;
  const dtype = card ? "fp32" : await findDtype(source, signal);
  const sums = { loaded: 0, total: 0 };
  const onBytes: OnBytes = (loaded, total) => {
    sums.loaded += loaded;
    sums.total += total;
    onProgress({ ...sums });
  };
  fetching = { signal, onBytes };
  const tokenizer = await AutoTokenizer.from_pretrained(base);
  const model = await loadModel(base, dtype).catch((error: unknown) => {
    throw explainStart(error);
  });
  if (signal.aborted) {
    await model.dispose();
    signal.throwIfAborted();
  }
  loaded = { key, base, card, tokenizer, model, reference: null };
}

async function readCard(base: string, signal: AbortSignal): Promise<PolicyCard | null> {
  const response = await fetch(`${base}/policy.json`, { signal, cache: "no-cache" });
  return response.ok ? PolicyCard.parse(await response.json()) : null;
}

async function loadModel(base: string, dtype: PolicyDtype): Promise<PreTrainedModel> {
  const model = await AutoModelForCausalLM.from_pretrained(base, { dtype, device: "wasm" });
  const forward = model.forward.bind(model);
  // Nothing else lets a message through between two tokens, and a cancel could not be heard.
  model.forward = async (inputs) => {
    await breathe();
    return forward(inputs);
  };
  return model;
}

async function generate(
  { card, tokenizer, model }: Loaded,
  { prompt, max_tokens }: Extract<Call, { type: "generate" }>,
  signal: AbortSignal,
  note: (note: Note) => void,
): Promise<Generated> {
  const inputs = card ? tokenizer(spaceTags(prompt)) : encode(tokenizer, prompt);
  const length: number = inputs.input_ids.dims[1] ?? 0;
  const most = max_tokens ?? card?.max_completion_tokens ?? DEFAULT_TOKENS;
  const interrupt = new InterruptableStoppingCriteria();
  signal.addEventListener("abort", () => interrupt.interrupt());
  const streamer = new TextStreamer(tokenizer, {
    skip_prompt: true,
    skip_special_tokens: true,
    callback_function: (text: string) => {
      if (text !== "") note({ text });
    },
  });
  const output = await model.generate({
    ...inputs,
    do_sample: false,
    max_new_tokens: most,
    streamer,
    stopping_criteria: interrupt,
  });
  signal.throwIfAborted();
  if (!(output instanceof Tensor)) throw new Error("The model gave no tokens.");
  const ids = Array.from(output.data as BigInt64Array, Number).slice(length);
  const isEnded = [model.generation_config?.eos_token_id].flat().includes(ids.at(-1));
  return {
    text: ids.length === 0 ? "" : tokenizer.decode(ids, { skip_special_tokens: true }),
    tokens: ids.length,
    finish: isEnded || ids.length < most ? "eos" : "length",
  };
}

/** The same response, counted as it is read. A length that is not told is counted as it comes. */
function countBytes(response: Response, onBytes: OnBytes): Response {
  if (!response.ok || response.body === null) return response;
  const length = Number(response.headers.get("content-length") ?? 0);
  onBytes(0, length);
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, out) {
      onBytes(chunk.length, length === 0 ? chunk.length : 0);
      out.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), response);
}

/** A prompt as a chat model expects it, with the marks that its template sets; as it is where it has no template. */
function encode(tokenizer: PreTrainedTokenizer, prompt: string) {
  if (!tokenizer.chat_template) return tokenizer(prompt);
  return tokenizer.apply_chat_template([{ role: "user", content: prompt }], { add_generation_prompt: true });
}

/** What `sightline_trainer.grpo.judge` does with a tiny policy. */
async function judge(
  policy: Loaded,
  question: string,
  think: string,
  letters: readonly string[],
): Promise<string | null> {
  if (!policy.card?.has_reference) return null;
  fetching = null;
  policy.reference ??= loadModel(`${policy.base}/reference`, "fp32");
  const model = await policy.reference.catch((error: unknown) => {
    policy.reference = null;
    throw error;
  });
  const { logits } = await model(policy.tokenizer(spaceTags(`${question} <think>${think}</think><answer>`)));
  const width: number = logits.dims.at(-1);
  const last = Array.from(logits.data as Float32Array).slice(-width);
  const scores = letters.map((letter) => last[policy.tokenizer.convert_tokens_to_ids(letter)] ?? -Infinity);
  return letters[scores.indexOf(Math.max(...scores))] ?? null;
}
