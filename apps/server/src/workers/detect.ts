/** The small detector on a clip's frames, as it runs in a decoder process. ONNX Runtime is loaded with this module. */
import { fileURLToPath } from "node:url";
import { type Detection, detect, INPUT_SIDE, type RunNetwork, readYuv } from "@sightline/core/detection";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { readPictures } from "../media/read-frames.ts";
import type { FrameIndex } from "../media/scan.ts";
import { copyYuv } from "../media/yuv.ts";

const MODEL = fileURLToPath(new URL("../../../../models/centernet/centernet.onnx", import.meta.url));

export type DetectArgs = {
  file: string;
  index: FrameIndex;
  /** Ordinals of the frames to look at. */
  frames: number[];
};

/** What was found on one frame. `width` and `height` are those of the upright picture, in whose pixels the boxes are. */
export type DetectedFrame = { frame: number; width: number; height: number; detections: Detection[] };

let network: Promise<RunNetwork> | null = null;

/**
 * Looks for objects on chosen frames.
 *
 * @param report  Frames done.
 * @returns By ordinal; a frame that can't be decoded is left out.
 */
export async function detectFrames(
  { file, index, frames }: DetectArgs,
  report: (done: number) => void,
): Promise<DetectedFrame[]> {
  network ??= openNetwork();
  const run = await network;
  const found: DetectedFrame[] = [];
  for (const { ordinal, frame, facts } of readPictures(file, index, frames, 2)) {
    const picture = readYuv(copyYuv(frame, facts.rotation));
    const { width, height } = picture;
    found.push({ frame: ordinal, width, height, detections: await detect(picture, run) });
    report(found.length);
  }
  return found.sort((a, b) => a.frame - b.frame);
}

/** The detector's network, on one core: clips go side by side, each in a process of its own. */
export async function openNetwork(): Promise<RunNetwork> {
  const session = await InferenceSession.create(MODEL, { intraOpNumThreads: 1, logSeverityLevel: 3 });
  return async (input) => {
    const outputs = await session.run({
      picture: new Tensor("float32", input, [1, INPUT_SIDE, INPUT_SIDE, 3]),
    });
    const { heat, reach } = outputs;
    return { heat: heat?.data as Float32Array, reach: reach?.data as Float32Array };
  };
}
