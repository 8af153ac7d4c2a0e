import { configDefaults, defineConfig } from "vitest/config";
import { trainerPython } from "./scripts/lib/python-env.ts";

/** Files `field.test.ts` and `*.field.test.ts` need the real files of SIGHTLINE_SHARED. */
const isField = process.env.SIGHTLINE_FIELD !== undefined;
const SOURCES = "{packages,apps}/*/src";
const FIELD = "{field,*.field}.test.ts";

export default defineConfig({
  test: {
    env: trainerPython(),
    include: isField ? [`${SOURCES}/**/${FIELD}`] : [`${SOURCES}/**/*.test.{ts,tsx}`, "scripts/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(isField ? [] : [`**/${FIELD}`])],
    // Many tests wait for processes of their own: a core that is kept free for the main thread idles.
    maxWorkers: "100%",
    // These end what hangs; what works takes some seconds, and many times that on a slow machine that is busy.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // What passes only at the second go is named in the list at the end of `npm test`.
    retry: process.env.CI === undefined ? 0 : 1,
  },
});
