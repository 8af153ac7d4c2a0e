/** The small detector in a worker of its own. */
import { type Detection, detect, INPUT_SIDE, type Picture, type RunNetwork } from "@sightline/core/detection";
import { env, InferenceSession, Tensor } from "onnxruntime-web/wasm";
import { ORT_FILES } from "../onnx-runtime.ts";
import { answerCalls } from "../worker-calls/answer.ts";

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

async function look(picture: Picture): Promise<Detection[]> {
  try {
    network ??= openNetwork();
    return await detect(picture, await network);
  } catch (error) {
    network = null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The detector could not look at this picture: ${reason}`);
  }
}

/** One picture after the other: a session runs one at a time. */
let last: Promise<unknown> = Promise.resolve();
answerCalls<Picture, never, Detection[]>((picture) => {
  const looked = last.then(() => look(picture));
  last = looked.catch(() => undefined);
  return looked;
});
