import { describe, expect, it } from "vitest";
import { getReleasedStep, sampleFrames } from "./sample.ts";

const rate = (frames: number, fps: number): number[] => Array.from({ length: frames }, (_, i) => i / fps);
const byTime = (interval_secs: number) => ({ sampling: "time", interval_secs }) as const;
const released = { sampling: "released", interval_secs: 1 } as const;

describe("by time", () => {
  it("takes the frame on screen at every interval, and the last", () => {
    expect(sampleFrames(rate(100, 25), byTime(1))).toEqual([0, 25, 50, 75, 99]);
    expect(sampleFrames(rate(101, 25), byTime(1))).toEqual([0, 25, 50, 75, 100]);
    expect(sampleFrames([], byTime(1))).toEqual([]);
    expect(sampleFrames([0], byTime(1))).toEqual([0]);
    expect(sampleFrames([0, 0.04], byTime(1))).toEqual([0, 1]);
  });

  it("B41: follows the table where frames were dropped, and takes no frame twice", () => {
    const times = [0, 0.033, 0.067, 0.4, 0.433, 2.5, 2.533];
    expect(sampleFrames(times, byTime(0.1))).toEqual([0, 2, 3, 4, 5, 6]);
    expect(sampleFrames(times, byTime(1))).toEqual([0, 4, 6]);
  });

  it("B47: the third sampled frame after the first, 30 frames apart at 29.97, is frame 90 at 3.003 s", () => {
    const times = Array.from({ length: 200 }, (_, i) => (i * 1001) / 30000);
    const frame = sampleFrames(times, byTime(1.001))[3];
    expect(frame).toBe(90);
    expect(times[frame ?? 0]).toBeCloseTo(3.003, 9);
    const rounded = times.map((time) => Math.round(time * 1000) / 1000);
    expect(sampleFrames(rounded, byTime(1.001))[3]).toBe(90);
  });

  it("S03: does not drift at 29.97 and 59.94 and works below 1 frame a second", () => {
    for (const fps of [29.97, 59.94]) {
      const times = rate(Math.round(fps * 60), fps);
      const frames = sampleFrames(times, byTime(1));
      expect(frames).toHaveLength(61);
      for (const [k, frame] of frames.slice(0, 60).entries()) {
        expect(Math.abs((times[frame] ?? 0) - k)).toBeLessThan(1 / fps);
      }
    }
    expect(sampleFrames(rate(10, 0.5), byTime(1))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(sampleFrames(rate(40, 1.9), byTime(1))).toHaveLength(22);
  });

  it("refuses an interval that goes nowhere", () => {
    expect(() => sampleFrames([0, 1], byTime(0))).toThrow(RangeError);
    expect(() => sampleFrames([0, 1], byTime(Number.NaN))).toThrow(RangeError);
  });
});

describe("as released", () => {
  it("S03: steps by the integer part of the rate and adds the last frame", () => {
    expect(getReleasedStep(rate(300, 29.97))).toBe(29);
    expect(getReleasedStep(rate(300, 30000 / 1001).map((time) => Math.round(time * 1000) / 1000))).toBe(29);
    expect(getReleasedStep(rate(300, 30).map((time) => Math.round(time * 1000) / 1000))).toBe(30);
    expect(getReleasedStep(rate(50, 1.9))).toBe(1);
    expect(sampleFrames(rate(100, 29.97), released)).toEqual([0, 29, 58, 87, 99]);
    expect(sampleFrames(rate(88, 29.97), released)).toEqual([0, 29, 58, 87]);
  });

  it("S03: samples by time below 1 frame a second, where the released step is 0", () => {
    expect(getReleasedStep(rate(10, 0.5))).toBeNull();
    expect(sampleFrames(rate(4, 0.5), released)).toEqual([0, 1, 2, 3]);
  });

  it("takes all of a clip of one or two frames", () => {
    expect(sampleFrames([0], released)).toEqual([0]);
    expect(sampleFrames([0, 0.04], released)).toEqual([0, 1]);
  });
});
