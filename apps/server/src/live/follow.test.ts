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
  await expect.poll(() => seen, { timeout: 30_000 }).toEqual([0]);
  const began = performance.now();
  for (let k = 0; k < 50; k++) {
    value += 1;
    bell.ring();
    await sleep(10);
  }
  await expect.poll(() => seen.at(-1), { timeout: 30_000 }).toBe(50);
  const count = seen.length;
  expect(count).toBeLessThanOrEqual(2 + ((performance.now() - began) / 1000) * 5);
  bell.ring();
  await sleep(450);
  expect(seen).toHaveLength(count);
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
