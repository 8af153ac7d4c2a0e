import { configDefaults, defineConfig } from "vitest/config";

/** Files `*.field.test.ts` need the real files of SIGHTLINE_SHARED. */
const isField = process.env.SIGHTLINE_FIELD !== undefined;
const SOURCES = "{packages,apps}/*/src";

export default defineConfig({
  test: {
    include: isField
      ? [`${SOURCES}/**/*.field.test.ts`]
      : [`${SOURCES}/**/*.test.{ts,tsx}`, "scripts/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...(isField ? [] : ["**/*.field.test.ts"])],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
