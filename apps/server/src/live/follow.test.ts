import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createBell, follow } from "./follow.ts";

test("a follower sees the present at once, then every change, bundled, and nothing when nothing is new", async () => {
  const bell = createBell();
  const stop = new AbortController();
  let value = 0;
  let told = -1;
  const seen: number[] = [];
  const listening = (async () => {
    const read = () => {
      if (value === told) return undefined;
      told = value;
      return value;
    };
    for await (const one of follow(bell, stop.signal, read)) seen.push(one);
  })();
  await sleep(20);
  expect(seen).toEqual([0]);
  for (let k = 0; k < 50; k++) {
    value += 1;
    bell.ring();
    await sleep(10);
  }
  await sleep(450);
  expect(seen.at(-1)).toBe(50);
  expect(seen.length).toBeLessThanOrEqual(6);
  bell.ring();
  await sleep(450);
  expect(seen.at(-1)).toBe(50);
  stop.abort();
  await listening;
});

test("a change while the last one is being handed over is not lost", async () => {
  const bell = createBell();
  const stop = new AbortController();
  let value = "first";
  const seen: string[] = [];
  for await (const one of follow(bell, stop.signal, () => value)) {
    seen.push(one);
    if (one === "first") {
      value = "second";
      bell.ring();
    } else stop.abort();
  }
  expect(seen).toEqual(["first", "second"]);
});
