import { describe, expect, test } from "vitest";
import { SIGHTLINE_SETTINGS } from "../keyframes/index.ts";
import { ACTIONS, createRandom, type Random } from "../worlds/index.ts";
import {
  BaseUnknown,
  differFrames,
  type ExchangedFrame,
  type KeyFrameExport,
  parseJson,
  placeFrames,
  type ReadKeyFrames,
  readCsv,
  readFiftyOne,
  readJson,
  type Target,
  writeCsv,
  writeFiftyOne,
  writeLabelStudio,
  writeProvenance,
} from "./index.ts";

/** Names that break what is not quoted: of CSV, of spreadsheets, of JSON, of paths. */
const NAMES = [
  "walk.mp4",
  'he said "left", then; right.mp4',
  "=HYPERLINK(1).mp4",
  "'+quoted.mov",
  "-1.mp4",
  "  spaces  .mp4",
  "街道 ü é 🚁.mkv",
  "a\\b.mp4",
  "</data>&amp;.mp4",
];

function makeExport(random: Random, at: number): { held: KeyFrameExport; clip: Target } {
  const count = random.int(1, 60);
  // Variable rate: gaps of a few milliseconds to seconds.
  const time_secs = [0];
  while (time_secs.length < count) time_secs.push((time_secs.at(-1) ?? 0) + random.int(1, 4000) / 1000);
  const picked = time_secs.map((_, frame) => frame).filter(() => random.next() < 0.4);
  const frames = (picked.length === 0 ? [random.int(0, count - 1)] : picked).map(
    (frame): ExchangedFrame => ({
      frame,
      time_secs: time_secs[frame] ?? 0,
      origin: random.pick(["extractor", "person"]),
      rule: random.pick(["first", "low_overlap", null]),
      overlap: random.pick([null, random.next(), 1e-9]),
      matches: random.pick([null, random.int(0, 500)]),
      inliers: random.pick([null, random.int(0, 500)]),
      action: random.pick([null, ...ACTIONS]),
      action_by: random.pick([null, "geometry", "person"]),
      action_from: random.pick([null, random.int(0, frame)]),
    }),
  );
  const clip_id = `${at}f`.padEnd(64, "0");
  const clip_name = `${at} ${random.pick(NAMES)}`.replace(/^\d+ (?=[=' -])/, "");
  const held: KeyFrameExport = {
    clip_id,
    clip_name,
    frame_count: count,
    width: 320,
    height: 240,
    fps: 12.5,
    version: random.int(0, 9),
    settings: SIGHTLINE_SETTINGS,
    settings_hash: "0123456789abcdef",
    extractor_version: 1,
    authors: ["Ana", "Bo; C"],
    frames,
  };
  return { held, clip: { clip_id, name: clip_name, time_secs } };
}

const FORMATS: [string, (exports: KeyFrameExport[]) => ReadKeyFrames, 0 | 1][] = [
  ["CSV", (exports) => readCsv(writeCsv(exports)), 0],
  ["CSV by way of a spreadsheet", (exports) => readCsv(`${writeCsv(exports).replaceAll("\n", "\r\n")}`), 0],
  ["Label Studio", (exports) => readJson(parseJson(writeLabelStudio(exports))), 1],
  ["FiftyOne", (exports) => readFiftyOne(writeFiftyOne(exports)), 1],
];

describe.each(FORMATS)("%s", (_format, goRound, base) => {
  test.each(Array.from({ length: 40 }, (_, seed) => seed))("round trip %i gives the same", (seed) => {
    const random = createRandom(`exchange ${seed}`);
    const made = Array.from({ length: random.int(1, 5) }, (_, at) => makeExport(random, at + 1));
    const { clips } = goRound(made.map(({ held }) => held));
    expect(clips).toHaveLength(made.length);
    for (const [at, read] of clips.entries()) {
      const { held, clip } = made[at] as (typeof made)[number];
      expect(read).toMatchObject({
        clip_name: held.clip_name,
        clip_id: held.clip_id,
        frame_count: held.frame_count,
        version: held.version,
        settings_hash: held.settings_hash,
        base,
      });
      expect(placeFrames(read, clip, null)).toEqual({ frames: held.frames, base, base_from: "file" });
    }
  });
});

test.each(Array.from({ length: 40 }, (_, seed) => seed))(
  "our own JSON, round trip %i gives the same",
  (seed) => {
    const { held, clip } = makeExport(createRandom(`provenance ${seed}`), 1);
    const [read] = readJson(parseJson(writeProvenance(held))).clips;
    if (read === undefined) throw new Error("nothing was read");
    expect(placeFrames(read, clip, null)).toEqual({ frames: held.frames, base: 0, base_from: "file" });
  },
);

test("a spreadsheet finds no formula in a CSV", () => {
  const random = createRandom("formula");
  for (let at = 0; at < 50; at += 1) {
    const { held } = makeExport(random, at);
    const [, first = ""] = writeCsv([{ ...held, clip_name: "=1+1" }]).split("\n");
    expect(first).toMatch(/^'=1\+1,/);
  }
});

test("a CSV of more lines than can be read is refused before it is read", () => {
  expect(() => readCsv(`clip_name,frame\n${"walk.mp4,1\n".repeat(500_001)}`)).toThrow(
    "more than 500000 lines",
  );
});

describe("where a file does not say what its frames count from", () => {
  const clip = { clip_id: "a".repeat(64), name: "walk.mp4", time_secs: [0, 0.033, 0.067, 0.4, 0.433] };
  const read = (text: string) => {
    const [one] = readCsv(text).clips;
    if (one === undefined) throw new Error("nothing was read");
    return one;
  };

  test("B41, B47: times tell, also at a variable rate, and never frame × rate", () => {
    const from0 = placeFrames(read("frame,time_secs\n3,0.4\n4,0.433"), clip, null);
    expect(from0).toMatchObject({ base: 0, base_from: "times", frames: [{ frame: 3 }, { frame: 4 }] });
    const from1 = placeFrames(read("frame,time_secs\n4,0.4\n5,0.433"), clip, null);
    expect(from1).toMatchObject({ base: 1, base_from: "times", frames: [{ frame: 3 }, { frame: 4 }] });
  });

  test("numbers alone tell nothing: it asks, and takes a person's word", () => {
    expect(() => placeFrames(read("frame\n1\n4"), clip, null)).toThrow(BaseUnknown);
    expect(placeFrames(read("frame\n1\n5"), clip, 1)).toMatchObject({ base: 1, base_from: "person" });
    expect(() => placeFrames(read("frame\n1\n5"), clip, 0)).toThrow("line 3: frame 5 is not in the clip");
  });

  test("times that fit neither are refused", () => {
    expect(() => placeFrames(read("frame,time_secs\n3,0.2"), clip, null)).toThrow(BaseUnknown);
    expect(() => placeFrames(read("frame,time_secs\n3,0.2"), clip, 0)).toThrow("is said to be at 0.2 s");
  });

  test("what a file says is not overruled", () => {
    expect(() => placeFrames(read("frame,frame_base\n1,0"), clip, 1)).toThrow(
      "counts frames from 0, not from 1",
    );
    expect(() => placeFrames(read("frame,frame_base\n1,0\n2,1"), clip, null)).toThrow("line 3");
  });
});

test("a difference names what is added, dropped and the same", () => {
  expect(differFrames([0, 5, 9], [0, 6, 9, 12])).toEqual({ added: [6, 12], dropped: [5], same: [0, 9] });
});

describe("files made elsewhere", () => {
  test("Label Studio: single frames of the label, 1-based; other labels are none of ours", () => {
    const task = {
      data: { video: "/data/upload/RealWorld_9.mp4", fps: 30 },
      annotations: [
        {
          result: [
            {
              type: "timelinelabels",
              value: { ranges: [{ start: 211, end: 211 }], timelinelabels: ["keyframe"] },
            },
            {
              type: "timelinelabels",
              value: { ranges: [{ start: 1, end: 90 }], timelinelabels: ["walking"] },
            },
            { type: "choices", value: { choices: ["good"] } },
          ],
        },
      ],
      predictions: [{ model_version: "x", result: [] }],
    };
    expect(readJson([task])).toMatchObject({
      format: "label-studio",
      clips: [
        { clip_name: "RealWorld_9.mp4", clip_id: null, base: 1, frames: [{ number: 211, time_secs: 7 }] },
      ],
    });
    const [first] = task.annotations[0]?.result ?? [];
    if (first?.value.ranges?.[0]) first.value.ranges[0].end = 214;
    expect(() => readJson([task])).toThrow("task 1, label 1: frames 211 to 214; a key-frame is one frame");
  });

  test("Label Studio: a label that was moved or set there stands where it was shown, and says no more", () => {
    const { held, clip } = makeExport(createRandom("moved"), 1);
    const fps = 25;
    const count = 60;
    const steady = { ...clip, time_secs: Array.from({ length: count }, (_, frame) => frame / fps) };
    const [frame] = held.frames;
    if (frame === undefined) throw new Error("no key-frame was made");
    const frames = [3, 9, 20].map((at) => ({
      ...frame,
      frame: at,
      time_secs: at / fps,
      rule: "low_overlap",
    }));
    const [task] = parseJson(writeLabelStudio([{ ...held, fps, frame_count: count, frames }])) as [
      { annotations: [{ result: { value: object; meta?: object }[] }]; data: object },
    ];
    const { result } = task.annotations[0];
    const label = (start: number) => ({ ranges: [{ start, end: start }], timelinelabels: ["keyframe"] });
    Object.assign(result[1] ?? {}, { value: label(13), origin: "prediction" });
    result.push({ value: label(50) });
    const place = (times: number[]) => {
      const [read] = readJson([task]).clips;
      if (read === undefined) throw new Error("nothing was read");
      return placeFrames(read, { ...steady, time_secs: times }, null).frames;
    };
    expect(place(steady.time_secs).map(({ frame: at, rule }) => [at, rule])).toEqual([
      [3, "low_overlap"],
      [12, null],
      [20, "low_overlap"],
      [49, null],
    ]);
    // Where the clip's rate varies, Label Studio shows another picture under that number.
    const uneven = steady.time_secs.map((secs, at) => (at < 30 ? secs : secs + 0.5));
    expect(() => place(uneven)).toThrow("frame 50 is said to be at 1.96 s; in this clip it is at 2.460 s");
    task.annotations.push({ result: [], was_cancelled: true } as never);
    expect(place(steady.time_secs)).toHaveLength(4);
  });

  test("FiftyOne: frames that were dropped, or have no label, are no key-frames", () => {
    const oid = (id: string) => ({ $oid: id });
    const samples = { samples: [{ _id: oid("s1"), filepath: "/media/data/RealWorld_9.mp4", tags: [] }] };
    const label = (text: string) => ({ _cls: "Classification", label: text });
    const frames = {
      frames: [
        { _sample_id: oid("s1"), frame_number: 211, keyframe: label("keep") },
        { _sample_id: oid("s1"), frame_number: 300, keyframe: label("drop") },
        { _sample_id: oid("s1"), frame_number: 301, keyframe: null },
      ],
    };
    const read = () =>
      readFiftyOne({ "samples.json": JSON.stringify(samples), "frames.json": JSON.stringify(frames) });
    expect(read()).toMatchObject({
      clips: [{ clip_name: "RealWorld_9.mp4", base: 1, frames: [{ number: 211 }] }],
    });
    frames.frames.push({ _sample_id: oid("s2"), frame_number: 1, keyframe: label("keep") });
    expect(read).toThrow("frames.json, frame document 4: its sample s2 is not in samples.json");
  });
});
