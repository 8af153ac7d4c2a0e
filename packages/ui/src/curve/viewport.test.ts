import { describe, expect, it } from "vitest";
import { panWindow, zoomWindow } from "./viewport.ts";

describe("the viewport's windows", () => {
  it("pan by a share of their width and stop at the limits", () => {
    expect(panWindow([20, 40], 0.5, [0, 100])).toEqual([30, 50]);
    expect(panWindow([20, 40], -5, [0, 100])).toEqual([0, 20]);
    expect(panWindow([70, 90], 5, [0, 100])).toEqual([80, 100]);
  });

  it("zoom around a place that stays where it is, never beyond the limits", () => {
    expect(zoomWindow([20, 40], 0.5, 30, [0, 100])).toEqual([25, 35]);
    expect(zoomWindow([20, 40], 0.5, 20, [0, 100])).toEqual([20, 30]);
    expect(zoomWindow([20, 40], 100, 30, [0, 100])).toEqual([0, 100]);
  });
});
