import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeFeatures, getEvidenceHash, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { describeMotions } from "@sightline/core/motion";
import { describeEmbedded, type Triple } from "@sightline/core/perception";
import { getBearing, getPoseAt, listSampleWorlds, type World } from "@sightline/core/worlds";
import { afterAll, expect, test } from "vitest";
import { createDecoderPool } from "../media/decoder-pool.ts";
import { scan } from "../media/scan.ts";
import { getEvidenceFiles } from "./keyframe-files.ts";

const WORLDS = join(import.meta.dirname, "../../../../fixtures/worlds");
/** What the detector calls objects of these worlds; it knows no other that stands in them. */
const LABEL_OF: Record<string, string> = {
  sign: "stop sign",
  "stop sign": "stop sign",
  clock: "clock",
  "traffic light": "traffic light",
  ball: "sports ball",
  globe: "sports ball",
};

const scratch = mkdtempSync(join(tmpdir(), "sightline-embedded-"));
const pool = createDecoderPool(1);
afterAll(() => {
  pool.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** As the product does: key-frames, motions and objects of the clip's own pixels. */
async function describeClip(world: World, question: string): Promise<Triple[]> {
  const file = join(WORLDS, `${world.world_id}.mp4`);
  const { index } = await scan(file, { interval_secs: 1 });
  const settings = SIGHTLINE_SETTINGS;
  const cache_dir = join(scratch, world.world_id);
  const args = { clip_id: world.world_id, file, index, settings, cache_dir };
  const selection = await pool.run("keyframes", args, { lane: "background" });
  const kept = selection.decisions.filter((one) => one.kept);
  const frames = kept.map(({ frame }) => frame);
  const found = await pool.run("detect", { file, index, frames }, { lane: "background" });
  const features = decodeFeatures(
    readFileSync(getEvidenceFiles(cache_dir, getEvidenceHash(settings)).features),
  );
  const motions = describeMotions(selection, features, world.field_of_view_deg);
  const { plane_width: width, plane_height: height } = selection;
  return describeEmbedded(
    kept.map(({ frame, time_secs, evidence }, at) => ({
      frame,
      time_secs,
      seen: found.find((one) => one.frame === frame) ?? null,
      motion: motions[at] ?? null,
      evidence,
    })),
    width === null || height === null ? null : { width, height },
    question,
  );
}

/** What a triple claims of single objects: `a clock ahead`, `the stop sign that was to the left`. */
function listClaims(change: string, opening: string): { label: string; side: string }[] {
  const sentence = change.split(/(?<=\.)\s/).find((one) => one.startsWith(`${opening}:`)) ?? "";
  return [...sentence.matchAll(/(?:an?|the) ([a-z ]+?) (?:that was )?(to the left|ahead|to the right)/g)].map(
    ([, label = "", side = ""]) => ({ label, side }),
  );
}

const SIDES: Record<string, [from_deg: number, to_deg: number]> = {
  "to the left": [-45, -8],
  ahead: [-22, 22],
  "to the right": [8, 45],
};

/** `mistakes`: what the detector itself gets wrong at 0.4 or a little more; the perceiver adds nothing to it. */
test.each([
  { world_id: "street-crossing-1", mistakes: 0 },
  { world_id: "street-round-the-corner-3", mistakes: 1 },
  { world_id: "courtyard-up-and-down-1", mistakes: 1 },
])("$world_id: what the embedded perceiver claims is true", async ({ world_id, mistakes }) => {
  const world = listSampleWorlds().find((one) => one.world_id === world_id) as World;
  const triples = await describeClip(world, "Is the stop sign left of the clock or the football?");
  const claims: { text: string; is_true: boolean }[] = [];
  for (const { time_secs, change, relevant } of triples) {
    const pose = getPoseAt(world, time_secs);
    const bearingsOf = (label: string) =>
      world.objects.filter(({ noun }) => LABEL_OF[noun] === label).map((object) => getBearing(pose, object));
    for (const opening of ["In view", "New in view", "Recognised now"])
      for (const { label, side } of listClaims(change, opening)) {
        const [from, to] = SIDES[side] as [number, number];
        const is_true = bearingsOf(label).some((bearing) => bearing > from && bearing < to);
        claims.push({ text: `${label} ${side}: ${change}`, is_true });
      }
    for (const { label } of listClaims(change, "Out of view")) {
      const is_inside = (bearing: number) => Math.abs(bearing) < world.field_of_view_deg / 2 - 4;
      claims.push({ text: `${label} is gone: ${change}`, is_true: !bearingsOf(label).some(is_inside) });
    }
    expect(relevant).not.toContain("traffic light");
  }
  expect(claims.length).toBeGreaterThan(mistakes);
  const wrong = claims.filter(({ is_true }) => !is_true).map(({ text }) => text);
  expect(wrong.length, wrong.join("\n")).toBeLessThanOrEqual(mistakes);
});

test("street-crossing-1: every turn is told with what it brings and takes", async () => {
  const world = listSampleWorlds().find(({ world_id }) => world_id === "street-crossing-1") as World;
  const triples = await describeClip(world, "Where is the traffic signal?");
  expect(triples.slice(0, 5).map(({ action, change, relevant }) => ({ action, change, relevant }))).toEqual([
    { action: null, change: "In view: a stop sign to the left; a clock to the right.", relevant: "" },
    {
      action: "rotate right",
      change:
        "New in view: a traffic light to the right. Out of view: the stop sign that was to the left. The clock is now ahead, before to the right.",
      relevant: "Of the question: a traffic light to the right.",
    },
    {
      action: "rotate left",
      change:
        "New in view: a stop sign to the left. Out of view: the traffic light that was to the right. The clock is now to the right, before ahead.",
      relevant: "",
    },
    {
      action: "rotate left",
      change:
        "Out of view: the clock that was to the right. The stop sign is now to the right, before to the left.",
      relevant: "",
    },
    {
      action: "rotate right",
      change: "New in view: a clock to the right. The stop sign is now to the left, before to the right.",
      relevant: "",
    },
  ]);
});
