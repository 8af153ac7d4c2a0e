import { expect, it } from "vitest";
import { expandRange, turnUpright } from "./plane.ts";
import { paintWall } from "./testing.ts";

const PLANE = { width: 3, height: 2, data: Uint8Array.of(1, 2, 3, 4, 5, 6) };

it("B45: turns a plane upright, clockwise, and swaps its sides once", () => {
  expect(turnUpright({ ...PLANE, rotation: 90 })).toEqual({
    width: 2,
    height: 3,
    data: Uint8Array.of(4, 1, 5, 2, 6, 3),
  });
  expect(turnUpright({ ...PLANE, rotation: 180 })).toEqual({
    width: 3,
    height: 2,
    data: Uint8Array.of(6, 5, 4, 3, 2, 1),
  });
  expect(turnUpright({ ...PLANE, rotation: 270 })).toEqual({
    width: 2,
    height: 3,
    data: Uint8Array.of(3, 6, 2, 5, 1, 4),
  });
  expect(turnUpright({ ...PLANE, rotation: 0 })).toMatchObject(PLANE);
});

it("four quarter turns give the plane back", () => {
  const wall = paintWall(64, 48);
  let turned = wall;
  for (let i = 0; i < 4; i += 1) turned = turnUpright({ ...turned, rotation: 90 });
  expect(turned).toEqual(wall);
});

it("refuses a plane whose bytes are not its size", () => {
  expect(() => turnUpright({ ...PLANE, width: 4, rotation: 90 })).toThrow(RangeError);
});

it("stretches limited range to full range and leaves full range alone", () => {
  const plane = { width: 6, height: 1, data: Uint8Array.of(0, 16, 17, 126, 235, 255) };
  expect([...expandRange(plane, false).data]).toEqual([0, 0, 1, 128, 255, 255]);
  expect(expandRange(plane, true)).toBe(plane);
});
