/** The small detector in a worker of its own. */
import { detect, INPUT_SIDE, type RunNetwork } from "@sightline/core/detection";
import { env, InferenceSession, Tensor } from "onnxruntime-web/wasm";
import { ORT_FILES } from "../onnx-runtime.ts";
import type { Answer, Request } from "./messages.ts";

const MODEL = new URL("../../../../../models/centernet/centernet.onnx", import.meta.url).href;

env.wasm.wasmPaths = ORT_FILES;
// On few cores more threads are slower, and pictures come one at a time.
env.wasm.numThreads = 1;

let network: Promise<RunNetwork> | null = null;

async function openNetwork(): Promise<RunNetwork> {
  const session = await InferenceSession.create(MODEL, { executionProviders: ["wasm"], logSeverityLevel: 3 });
  return async (input) => {
    const picture = new Tensor("float32", input, [1, INPUT_SIDE, INPUT_SIDE, 3]);
    const { heat, reach } = await session.run({ picture });
    return { heat: heat?.data as Float32Array, reach: reach?.data as Float32Array };
  };
}

async function answer({ id, picture }: Request): Promise<Answer> {
  try {
    network ??= openNetwork();
    return { type: "done", id, detections: await detect(picture, await network) };
  } catch (error) {
    network = null;
    const reason = error instanceof Error ? error.message : String(error);
    return { type: "failed", id, message: `The detector could not look at this picture: ${reason}` };
  }
}

/** One picture after the other: a session runs one at a time. */
let last: Promise<unknown> = Promise.resolve();
addEventListener("message", ({ data }: MessageEvent<Request>) => {
  last = last.then(async () => postMessage(await answer(data)));
});
