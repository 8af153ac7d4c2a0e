import { expect, test } from "vitest";
import { mergeStreams, type Said } from "./merge.ts";

async function* count(to: number): AsyncGenerator<number> {
  for (let n = 1; n <= to; n += 1) yield n;
}

async function collect<T>(merged: AsyncGenerator<Said<T>>): Promise<Said<T>[]> {
  const all: Said<T>[] = [];
  for await (const one of merged) all.push(one);
  return all;
}

test("every value of every stream comes once, each stream in its order, and each end is told", async () => {
  const all = await collect(
    mergeStreams(
      new Map([
        [1, count(3)],
        [2, count(2)],
      ]),
    ),
  );
  const of = (id: number) =>
    all.filter((one) => one.id === id).map((one) => (one.kind === "value" ? one.value : one.kind));
  expect(of(1)).toEqual([1, 2, 3, "end"]);
  expect(of(2)).toEqual([1, 2, "end"]);
});

test("a stream that breaks is told as such; the others go on", async () => {
  async function* breaking(): AsyncGenerator<number> {
    yield 1;
    throw new Error("broken");
  }
  const all = await collect(
    mergeStreams(
      new Map([
        [1, breaking()],
        [2, count(3)],
      ]),
    ),
  );
  expect(all.filter((one) => one.id === 1)).toEqual([
    { id: 1, kind: "value", value: 1 },
    { id: 1, kind: "error", error: new Error("broken") },
  ]);
  expect(all.filter((one) => one.id === 2)).toHaveLength(4);
});

test("a stream is not asked for more than was taken", async () => {
  let asked = 0;
  async function* counting(): AsyncGenerator<number> {
    for (;;) {
      asked += 1;
      yield asked;
    }
  }
  const merged = mergeStreams(new Map([[1, counting()]]));
  await merged.next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).toBe(1);
  await merged.next();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).toBe(2);
  await merged.return(undefined);
});

test("leaving closes the streams", async () => {
  let isClosed = false;
  async function* closing(): AsyncGenerator<number> {
    try {
      for (;;) yield 1;
    } finally {
      isClosed = true;
    }
  }
  for await (const _ of mergeStreams(new Map([[1, closing()]]))) break;
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(isClosed).toBe(true);
});
