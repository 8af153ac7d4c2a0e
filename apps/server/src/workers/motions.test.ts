import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getEvidenceHash, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import type { Motion } from "@sightline/core/motion";
import { getPoseAt, toHeading, type World, wrapDegrees } from "@sightline/core/worlds";
import { afterAll, expect, test } from "vitest";
import { createDecoderPool } from "../media/decoder-pool.ts";
import { scan } from "../media/scan.ts";
import { getEvidenceFiles } from "./keyframe-files.ts";

const WORLDS = join(import.meta.dirname, "../../../../fixtures/worlds");
const scratch = mkdtempSync(join(tmpdir(), "sightline-motions-"));
const pool = createDecoderPool(1);
afterAll(() => {
  pool.close();
  rmSync(scratch, { recursive: true, force: true });
});

/** A sample clip, decoded and looked at as the server does it, with the world that it was rendered from. */
async function lookAt(name: string) {
  const file = join(WORLDS, `${name}.mp4`);
  const settings = SIGHTLINE_SETTINGS;
  const { index } = await scan(file, { interval_secs: settings.interval_secs });
  const cache_dir = join(scratch, name);
  const args = { clip_id: name, file, index, settings, cache_dir };
  const { decisions } = await pool.run("keyframes", args, { lane: "background" });
  const { features } = getEvidenceFiles(cache_dir, getEvidenceHash(settings));
  const motions =
    (await pool.run("motions", { features, decisions, field_of_view_deg: null }, { lane: "interactive" })) ??
    [];
  const world = JSON.parse(readFileSync(join(WORLDS, `${name}.json`), "utf8")) as World;
  const kept = decisions.filter((decision) => decision.kept);
  return { motions, world, kept, decisions, features };
}

const listActions = (motions: readonly (Motion | null)[]) => motions.map((motion) => motion?.action ?? null);

test.each(["room-turns-4", "street-round-the-corner-3"])(
  "%s: the turns read from the pixels add up to the true heading at every key-frame",
  async (name) => {
    const { motions, world, kept } = await lookAt(name);
    expect(motions[0]).toBeNull();
    let heading_deg = getPoseAt(world, 0).heading_deg;
    for (const [k, motion] of motions.entries()) {
      if (motion === null) continue;
      expect(motion.yaw_deg).not.toBeNull();
      heading_deg += motion.yaw_deg ?? 0;
      const truth = getPoseAt(world, kept[k]?.time_secs ?? 0).heading_deg;
      const off = Math.abs(wrapDegrees(heading_deg - truth + 180) - 180);
      expect(off, `key-frame ${k}`).toBeLessThan(6);
    }
    expect(toHeading(heading_deg)).toBe(toHeading(world.poses.at(-1)?.heading_deg ?? -1));
  },
);

test("moves of the sample clips have their names", async () => {
  const street = await lookAt("street-there-and-back-1");
  expect(listActions(street.motions)).toContain("move forward");
  expect(listActions(street.motions)).toContain("move backward");
  const room = await lookAt("room-sideways-2");
  expect(listActions(room.motions)).toContain("move left");
  expect(listActions(room.motions)).toContain("move right");
  for (const motion of [...street.motions, ...room.motions]) {
    if (motion !== null) expect(Math.abs(motion.yaw_deg ?? 99)).toBeLessThan(3);
  }
});

test("a field of view that a person set is the one that turns are measured by", async () => {
  const { motions, kept, decisions, features } = await lookAt("room-turns-4");
  const turned = (found: readonly (Motion | null)[] | null) =>
    (found ?? []).reduce((sum, motion) => sum + Math.abs(motion?.yaw_deg ?? 0), 0);
  const lookThrough = async (field_of_view_deg: number) =>
    turned(await pool.run("motions", { features, decisions, field_of_view_deg }, { lane: "interactive" }));
  expect(kept.length).toBe(motions.length);
  // The world was rendered through 75°, which the pictures show by themselves.
  expect(Math.abs((await lookThrough(75)) - turned(motions))).toBeLessThan(3);
  expect(Math.abs((await lookThrough(60)) - turned(motions))).toBeGreaterThan(10);
});

test("nothing is made up where the cached features are gone", async () => {
  const args = { features: join(scratch, "none"), decisions: [], field_of_view_deg: null };
  expect(await pool.run("motions", args, { lane: "interactive" })).toBeNull();
});
