import { describe, expect, it } from "vitest";
import type { Detection, Label } from "../detection/index.ts";
import type { Homography, PairEvidence } from "../keyframes/types.ts";
import type { Motion } from "../motion/types.ts";
import { describeEmbedded, nameObjects, type SeenKeyFrame } from "./index.ts";

const SIZE = { width: 400, height: 300 };

/** An object of `side` pixels around (x, y). */
const see = (label: Label, x: number, y = 150, side = 60): Detection => ({
  label,
  score: 0.6,
  box: [x - side / 2, y - side / 2, x + side / 2, y + side / 2],
});

const move = (action: Motion["action"]): Motion => ({
  action,
  confidence: action === "unclear" ? null : 0.9,
  reason: "The picture turned.",
  yaw_deg: null,
  pitch_deg: null,
  roll_deg: null,
  matches: 100,
  inliers: 80,
});

/** The later picture lies `x` pixels further right in the earlier one: the agent turned right. */
const compare = (reference: number, frame: number, x: number): PairEvidence => ({
  reference,
  frame,
  matches: 100,
  inliers: 80,
  homography: [1, 0, x, 0, 1, 0, 0, 0, 1] as Homography,
  overlap_forward: 0.5,
  overlap_backward: 0.5,
  spread: 0.5,
  extent: 0.5,
  failure: null,
});

function show(...views: (Detection[] | null)[]): SeenKeyFrame[] {
  return views.map((detections, at) => ({
    frame: at * 10,
    time_secs: at,
    seen: detections && { ...SIZE, detections },
    motion: at === 0 ? null : move("rotate right"),
    evidence: null,
  }));
}

const tell = (keyFrames: SeenKeyFrame[], question = "") => describeEmbedded(keyFrames, SIZE, question);

describe("describeEmbedded", () => {
  it("says first what is in view, where, and how large", () => {
    const [first] = tell(show([see("chair", 50, 150, 200), see("clock", 200), see("cup", 380, 20, 20)]));
    expect(first).toMatchObject({
      index: 0,
      frame: 0,
      action: null,
      change: "In view: a chair to the left, near; a clock ahead; a cup to the right, far or small.",
      relevant: "",
      problems: [],
    });
  });

  it("counts what is alike", () => {
    const [first] = tell(show([see("person", 40), see("person", 100), see("bus", 200), see("bus", 230)]));
    expect(first?.change).toBe("In view: 2 people to the left; 2 buses ahead.");
  });

  it("says plainly when it knows nothing of what is there", () => {
    const [first, second] = tell(show([], []));
    expect(first?.change).toBe("The detector knows 80 kinds of object; none was found.");
    expect(second?.change).toBe("The detector knows 80 kinds of object; none was found.");
  });

  it("says plainly when a picture could not be decoded, and goes on after it", () => {
    const triples = tell(show([see("cup", 200)], null, [see("cup", 200)]));
    expect(triples[1]?.change).toBe("The picture could not be decoded.");
    expect(triples[2]?.change).toBe("The picture before could not be decoded. In view: a cup ahead.");
  });

  it("takes the action from geometry, and unclear where there is none", () => {
    const keyFrames = show([], [], []);
    if (keyFrames[2]) keyFrames[2].motion = null;
    expect(tell(keyFrames).map(({ action }) => action)).toEqual([null, "rotate right", "unclear"]);
    expect(tell(keyFrames)[1]?.raw).toBe("Motion: rotate right (0.90). The picture turned.\nObjects: none.");
    expect(tell(keyFrames)[2]?.raw).toContain("can't be compared");
  });

  it("follows objects by where the homography takes them: two of a kind are not mistaken for each other", () => {
    // The agent turned right by 140 pixels: the left clock is gone, the right one stands where the left one stood.
    const keyFrames = show(
      [see("clock", 100), see("clock", 240)],
      [see("clock", 100), see("stop sign", 350)],
    );
    if (keyFrames[1]) keyFrames[1].evidence = compare(0, 10, 140);
    const [, second] = tell(keyFrames);
    expect(second?.change).toBe(
      "New in view: a stop sign to the right. Out of view: the clock that was to the left. The clock is now to the left, before ahead.",
    );
  });

  it("does not claim that something left or came when its place stayed in view", () => {
    const keyFrames = show([see("cup", 200)], [see("book", 180)]);
    if (keyFrames[1]) keyFrames[1].evidence = compare(0, 10, 5);
    expect(tell(keyFrames)[1]?.change).toBe(
      "Recognised now: a book ahead. No longer recognised: the cup that was ahead.",
    );
  });

  it("leaves aside a homography of other frames, and one that found nothing", () => {
    const keyFrames = show([see("clock", 100)], [see("clock", 110)]);
    if (keyFrames[1]) keyFrames[1].evidence = compare(5, 10, 140);
    expect(tell(keyFrames)[1]?.change).toBe(
      "Nothing that the detector knows comes, goes or moves: a clock to the left.",
    );
    if (keyFrames[1]) keyFrames[1].evidence = { ...compare(0, 10, 140), failure: "few_inliers" };
    expect(tell(keyFrames)[1]?.change).toContain("Nothing that the detector knows");
  });

  it("says what grows and shrinks, and what changes sides", () => {
    expect(tell(show([see("stop sign", 200, 150, 40)], [see("stop sign", 200, 150, 70)]))[1]?.change).toBe(
      "The stop sign is still ahead, and looks larger.",
    );
    expect(tell(show([see("stop sign", 240, 150, 70)], [see("stop sign", 300, 150, 40)]))[1]?.change).toBe(
      "The stop sign is now to the right, before ahead, and looks smaller.",
    );
  });

  it("names of the question only what was detected", () => {
    const views = show([see("tv", 50), see("couch", 200), see("cup", 350)]);
    expect(tell(views, "Is the sofa left of the television?\nA. yes\nB. no")[0]?.relevant).toBe(
      "Of the question: a tv to the left; a couch ahead.",
    );
    expect(tell(views, "Where is the kiosk?")[0]?.relevant).toBe("");
    expect(tell(show([]), "Where is the sofa?")[0]?.relevant).toBe("");
  });

  it("tells the same each time", () => {
    const views = show([see("cup", 100), see("cup", 200)], [see("cup", 120), see("cup", 260)]);
    expect(tell(views)).toEqual(tell(views));
  });
});

describe("nameObjects", () => {
  it.each([
    ["How many people are on the benches?", ["person", "bench"]],
    ["the TVs and the sofas", ["tv", "couch"]],
    ["a teddy bear beside a bear", ["teddy bear", "bear"]],
    ["a hot dog", ["hot dog"]],
    ["the dogs, two knives, the buses", ["dog", "knife", "bus"]],
    ["an orange kiosk", []],
    ["an orange, or two oranges", ["orange"]],
    ["carpet, cupboard, bushes, monitoring", []],
    ["Cell-phone or fridge?", ["cell phone", "refrigerator"]],
    ["", []],
  ])("%s", (text, labels) => {
    expect([...nameObjects(text)].sort()).toEqual([...labels].sort());
  });
});
