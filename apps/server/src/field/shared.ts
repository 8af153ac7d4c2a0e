import { existsSync } from "node:fs";
import { join } from "node:path";

/** Real files made by others, which are not part of the project: $SIGHTLINE_SHARED, or `shared` beside the checkout. */
export function findShared(): string | null {
  const given = process.env.SIGHTLINE_SHARED ?? join(import.meta.dirname, "../../../../../shared");
  return existsSync(join(given, "data")) ? given : null;
}
