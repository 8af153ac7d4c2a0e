import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { confinePath, PathOutsideError } from "./confine-path.ts";

let base: string;
let root: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "sightline-paths-")));
  root = join(base, "root");
  mkdirSync(join(root, "day 1"), { recursive: true });
  mkdirSync(join(base, "root-2"));
  writeFileSync(join(root, "day 1", "clip.mp4"), "clip");
  writeFileSync(join(root, "..clip.mp4"), "clip");
  writeFileSync(join(base, "secret"), "secret");
  writeFileSync(join(base, "root-2", "clip.mp4"), "sibling");
  symlinkSync(join(base, "secret"), join(root, "link-out"));
  symlinkSync("..", join(root, "link-up"));
  symlinkSync("day 1", join(root, "link-in"));
  symlinkSync(join(base, "nothing"), join(root, "dangling"));
  symlinkSync("link-round", join(root, "link-round"));
  symlinkSync(root, join(base, "root-link"));
});
afterAll(() => rmSync(base, { recursive: true }));

test.each(["../secret", "day 1/../../secret", "..", "./..", "day 1/../../root-2/clip.mp4"])(
  "%s climbs out and is refused",
  async (path) => {
    await expect(confinePath(root, path)).rejects.toThrow(PathOutsideError);
  },
);

test("an absolute path is refused, even one that lies inside", async () => {
  await expect(confinePath(root, "/etc/passwd")).rejects.toThrow(PathOutsideError);
  await expect(confinePath(root, join(root, "day 1"))).rejects.toThrow(PathOutsideError);
});

test("a NUL is refused", async () => {
  await expect(confinePath(root, "day 1/clip.mp4\0.jpg")).rejects.toThrow(PathOutsideError);
});

test.each(["link-out", "link-up", "link-up/secret", "link-in/../link-up/secret"])(
  "%s leads out by a link and is refused",
  async (path) => {
    await expect(confinePath(root, path)).rejects.toThrow(PathOutsideError);
  },
);

test("a link that leads nowhere or round in a circle is no file", async () => {
  await expect(confinePath(root, "dangling")).rejects.toMatchObject({ code: "ENOENT" });
  await expect(confinePath(root, "link-round")).rejects.toMatchObject({ code: "ELOOP" });
});

test("what lies inside is found, by a link too, and under a root that is itself a link", async () => {
  const clip = join(root, "day 1", "clip.mp4");
  expect(await confinePath(root, "day 1/clip.mp4")).toBe(clip);
  expect(await confinePath(root, "link-in/clip.mp4")).toBe(clip);
  expect(await confinePath(root, "./day 1/./x/../clip.mp4")).toBe(clip);
  expect(await confinePath(root, "..clip.mp4")).toBe(join(root, "..clip.mp4"));
  expect(await confinePath(root, "")).toBe(root);
  expect(await confinePath(join(base, "root-link"), "day 1/clip.mp4")).toBe(clip);
});
