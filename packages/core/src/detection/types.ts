import type { Label } from "./labels.ts";

/** One object that the detector found in a picture. */
export type Detection = {
  /** COCO name: "chair", "traffic light". */
  label: Label;
  /** In [0, 1]. */
  score: number;
  /** Left, top, right, bottom in pixels of the upright picture. */
  box: [x0: number, y0: number, x1: number, y1: number];
};

/** Pixels of an upright picture: RGB or RGBA, a byte each, rows packed. */
export type Picture = {
  width: number;
  height: number;
  channels: 3 | 4;
  data: Uint8Array | Uint8ClampedArray;
};

/** What the network gives for one picture. */
export type DetectorOutputs = {
  /** 80 × 128 × 128: how likely the centre of an object of a kind is at a place, in [0, 1]. */
  heat: Float32Array;
  /** 4 × 128 × 128: from a centre to the left, top, right and bottom edge, in pixels of the network's input. */
  reach: Float32Array;
};

/**
 * Runs the network: ONNX Runtime in the browser or on the server, handed in.
 *
 * @param input  1 × 512 × 512 × 3, RGB, 0 to 255.
 */
export type RunNetwork = (input: Float32Array) => Promise<DetectorOutputs>;
