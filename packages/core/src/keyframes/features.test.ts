import { expect, it } from "vitest";
import { decodeFeatures, encodeFeatures, FeatureFormatError, type FrameFeatures } from "./features.ts";
import { createRandom } from "./testing.ts";

function makeFrame(frame: number, features: number): FrameFeatures {
  const random = createRandom(frame + 1);
  return {
    frame,
    time_secs: frame / 29.97,
    width: 640,
    height: 360,
    noise: random(),
    points: Float32Array.from({ length: features * 2 }, () => random() * 640),
    descriptors: Uint8Array.from({ length: features * 32 }, () => random() * 256),
  };
}

it("gives back what was encoded", () => {
  const frames = [makeFrame(0, 500), makeFrame(30, 0), makeFrame(61, 7)];
  expect(decodeFeatures(encodeFeatures(frames))).toEqual(frames);
  expect(decodeFeatures(encodeFeatures([]))).toEqual([]);
});

it("reads from the middle of a larger buffer", () => {
  const bytes = encodeFeatures([makeFrame(3, 11)]);
  const larger = new Uint8Array(bytes.length + 13);
  larger.set(bytes, 5);
  expect(decodeFeatures(larger.subarray(5, 5 + bytes.length))).toEqual([makeFrame(3, 11)]);
});

it("keeps its layout", () => {
  const bytes = encodeFeatures([
    {
      frame: 7,
      time_secs: 0.25,
      width: 4,
      height: 2,
      noise: 0.5,
      points: Float32Array.of(1, 1.5),
      descriptors: new Uint8Array(32).fill(9),
    },
  ]);
  const view = new DataView(bytes.buffer);
  expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe("SLKF");
  expect([4, 8, 16, 20, 24, 28].map((at) => view.getUint32(at, true))).toEqual([1, 1, 7, 4, 2, 1]);
  expect([view.getFloat64(32, true), view.getFloat64(40, true)]).toEqual([0.25, 0.5]);
  expect([view.getFloat32(48, true), view.getFloat32(52, true), view.getUint8(56)]).toEqual([1, 1.5, 9]);
  expect(bytes).toHaveLength(16 + 32 + 40);
});

it("refuses what it did not write", () => {
  const bytes = encodeFeatures([makeFrame(0, 5), makeFrame(1, 5)]);
  for (const length of [0, 3, 15, 16, 40, bytes.length - 1]) {
    expect(() => decodeFeatures(bytes.slice(0, length))).toThrow(FeatureFormatError);
  }
  const newer = bytes.slice();
  newer[4] = 2;
  expect(() => decodeFeatures(newer)).toThrow("version 2");
});
