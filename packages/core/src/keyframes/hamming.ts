/**
 * Nearest binary descriptors by Hamming distance, as OpenCV's brute-force matcher with cross-check finds them, in a
 * hundred instructions of WebAssembly: OpenCV's build for JavaScript counts bits by table and takes five times as long.
 */
import { DESCRIPTOR_BYTES } from "./features.ts";
import { HAMMING_WASM } from "./hamming-wasm.ts";

/** Two descriptors that are each other's nearest, by position. */
export type Match = { query: number; train: number; distance: number };

/** The little of WebAssembly that is used; both sides have it, the language's own library does not declare it. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { exports: Exports };
};

type Exports = {
  memory: { buffer: ArrayBuffer; grow(pages: number): number };
  nearest(from: number, fromEnd: number, to: number, toEnd: number, out: number): void;
};

const PAGE_BYTES = 65_536;
let exports: Exports | null = null;

/**
 * Matches two sets of 32-byte descriptors: pairs of which each is the other's nearest, the first of equals. This is OpenCV's
 * cross-check, to the order.
 *
 * @returns In the order of the queries.
 */
export function matchDescriptors(query: Uint8Array, train: Uint8Array): Match[] {
  exports ??= new WebAssembly.Instance(new WebAssembly.Module(HAMMING_WASM)).exports;
  const { memory, nearest } = exports;
  const queries = query.length / DESCRIPTOR_BYTES;
  const trains = train.length / DESCRIPTOR_BYTES;
  if (queries === 0 || trains === 0) return [];
  const middle = query.length;
  const end = middle + train.length;
  const ofQueries = end;
  const ofTrains = ofQueries + 8 * queries;
  const missing = ofTrains + 8 * trains - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(query);
  bytes.set(train, middle);
  nearest(middle, end, 0, middle, ofQueries);
  nearest(0, middle, middle, end, ofTrains);

  const chosen = new Int32Array(memory.buffer, ofQueries, 2 * queries);
  const back = new Int32Array(memory.buffer, ofTrains, 2 * trains);
  const matches: Match[] = [];
  for (let i = 0; i < queries; i += 1) {
    const j = chosen[2 * i] as number;
    if (back[2 * j] === i) matches.push({ query: i, train: j, distance: chosen[2 * i + 1] as number });
  }
  return matches;
}
