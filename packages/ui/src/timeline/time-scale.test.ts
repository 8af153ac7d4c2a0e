import { expect, test } from "vitest";
import { createTimeScale, findNearest, followMoment, getTicks, panWindow, zoomWindow } from "./time-scale.ts";

const whole = { from_secs: 0, to_secs: 60 };

test("a scale goes there and back", () => {
  const scale = createTimeScale({ from_secs: 10, to_secs: 20 }, 500);
  expect(scale.toX(15)).toBe(250);
  expect(scale.toSecs(scale.toX(12.34))).toBeCloseTo(12.34);
});

test("a zoom keeps the moment under the pointer", () => {
  const window = zoomWindow(whole, 60, 0.5, 20, 0.5);
  expect(window.to_secs - window.from_secs).toBeCloseTo(30);
  expect((20 - window.from_secs) / 30).toBeCloseTo(20 / 60);
});

test("a zoom stays within the clip and within its limits", () => {
  expect(zoomWindow({ from_secs: 0, to_secs: 30 }, 60, 10, 0, 0.5)).toEqual(whole);
  const close = zoomWindow(whole, 60, 1e-9, 60, 0.5);
  expect(close.to_secs).toBeCloseTo(60);
  expect(close.to_secs - close.from_secs).toBeCloseTo(0.5);
  expect(zoomWindow({ from_secs: 0, to_secs: 0.1 }, 0.1, 0.5, 0, 0.5)).toEqual({
    from_secs: 0,
    to_secs: 0.1,
  });
});

test("panning stops at the ends", () => {
  expect(panWindow({ from_secs: 10, to_secs: 20 }, 60, -100)).toEqual({ from_secs: 0, to_secs: 10 });
  expect(panWindow({ from_secs: 10, to_secs: 20 }, 60, 100)).toEqual({ from_secs: 50, to_secs: 60 });
});

test("a moment out of view is brought to the middle", () => {
  const window = { from_secs: 0, to_secs: 10 };
  expect(followMoment(window, 60, 5)).toBe(window);
  expect(followMoment(window, 60, 30)).toEqual({ from_secs: 25, to_secs: 35 });
});

test("ticks are round and no closer than asked", () => {
  expect(getTicks(createTimeScale(whole, 600), 80)).toEqual({
    step_secs: 10,
    ticks: [0, 10, 20, 30, 40, 50, 60],
  });
  const hours = getTicks(createTimeScale({ from_secs: 0, to_secs: 3 * 3600 }, 900), 80);
  expect(hours.step_secs).toBe(1800);
  const close = getTicks(createTimeScale({ from_secs: 1.03, to_secs: 1.31 }, 900), 80);
  expect(close.ticks[0]).toBeCloseTo(1.05);
});

test("the nearest time", () => {
  expect(findNearest([], 3)).toBe(-1);
  expect([-1, 0.4, 0.6, 99].map((secs) => findNearest([0, 1, 2], secs))).toEqual([0, 0, 1, 2]);
});
