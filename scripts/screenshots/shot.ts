import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";

export const ROOT = join(import.meta.dirname, "../..");

/** One picture: its name, the page's address, and what a person does there before it is taken. */
export type Shot = {
  name: string;
  address: (page: Page) => Promise<string> | string;
  prepare: (page: Page) => Promise<void>;
};

/** A sample clip's id: the hash of its bytes. */
export function hashOf(world: string): string {
  const bytes = readFileSync(join(ROOT, "fixtures/worlds", `${world}.mp4`));
  return createHash("sha256").update(bytes).digest("hex");
}
