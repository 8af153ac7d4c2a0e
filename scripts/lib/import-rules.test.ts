import { describe, expect, test } from "vitest";
import { findImportFaults, listImports } from "./import-rules.ts";

const reasonsOf = (files: Record<string, string>) =>
  findImportFaults(new Map(Object.entries(files))).map(
    ({ path, imported, reason }) => `${path} ${imported}: ${reason}`,
  );

test("imports are found in all their shapes, types are told apart, comments are left out", () => {
  const source = `
    import "./side-effect.ts";
    import { a } from "./a.ts";
    import type { B } from "./b.ts";
    import { type C, type D as E } from "./c.ts";
    import { type F, g } from "./g.ts";
    import h, {
      i,
    } from "./h.ts";
    import * as j from './j.ts';
    export * from "./k.ts";
    export type { L } from "./l.ts";
    const m = await import("./m.ts");
    // import "./no.ts";
    /* import { no } from "./no.ts"; */
    const text = 'from "./no.ts"';
  `;
  expect(listImports(source).map(({ specifier, isType, isLazy }) => [specifier, isType, isLazy])).toEqual([
    ["./side-effect.ts", false, false],
    ["./a.ts", false, false],
    ["./b.ts", true, false],
    ["./c.ts", true, false],
    ["./g.ts", false, false],
    ["./h.ts", false, false],
    ["./j.ts", false, false],
    ["./k.ts", false, false],
    ["./l.ts", true, false],
    ["./m.ts", false, true],
  ]);
});

describe("an arrow against the direction is a fault", () => {
  test.each([
    ["packages/core/src/x/index.ts", "node:fs"],
    ["packages/core/src/x/index.ts", "react"],
    ["packages/core/src/x/index.ts", "@techstark/opencv-js"],
    ["packages/core/src/x/index.ts", "@sightline/ui/curve"],
    ["packages/core/src/x/index.ts", "../../../ui/src/curve/index.tsx"],
    ["packages/ui/src/curve/index.tsx", "@trpc/client"],
    ["packages/ui/src/curve/index.tsx", "@sightline/server/router"],
    ["packages/ui/src/curve/index.tsx", "node:fs"],
    ["apps/server/src/x.ts", "@sightline/ui/curve"],
    ["apps/server/src/x.ts", "react"],
    ["apps/server/src/x.ts", "../../../packages/core/src/x/index.ts"],
    ["apps/web/src/app/x.ts", "@sightline/server/router"],
    ["apps/web/src/app/x.ts", "../../../server/src/router.ts"],
    ["apps/web/src/features/runs/index.tsx", "../library/index.tsx"],
    ["apps/server/src/features/runs/service.ts", "../clips/store.ts"],
  ])("%s importing %s", (path, imported) => {
    expect(reasonsOf({ [path]: `import { x } from "${imported}";` })).toHaveLength(1);
  });
});

test("what the house allows is no fault", () => {
  expect(
    reasonsOf({
      "packages/core/src/wire/index.ts": 'import { z } from "zod"; export * from "./events.ts";',
      "packages/core/src/wire/events.test.ts": 'import { readFileSync } from "node:fs";',
      "packages/ui/src/curve/index.tsx":
        'import { fold } from "@sightline/core/runs"; import u from "uplot";',
      "apps/server/src/features/runs/index.ts":
        'import fs from "node:fs";\nimport type { Jobs } from "../jobs/tray.ts";\nimport { log } from "../../log.ts";',
      "apps/web/src/app/clients.ts": 'import type { AppRouter } from "@sightline/server/router";',
      "apps/web/src/app/routes.tsx": 'const page = () => import("../features/runs/index.tsx");',
      "apps/web/src/features/runs/index.tsx": 'import { client } from "../../app/clients.ts";',
      "apps/web/e2e/library.spec.ts": 'import { test } from "./support/server.ts";',
    }),
  ).toEqual([]);
});

test("a circle is named once, from end to end", () => {
  const reasons = reasonsOf({
    "apps/server/src/a.ts": 'import { b } from "./b.ts";',
    "apps/server/src/b.ts": 'import { c } from "./c.ts";',
    "apps/server/src/c.ts": 'import { a } from "./a.ts";',
  });
  expect(reasons).toEqual([
    "apps/server/src/c.ts apps/server/src/a.ts: a circle: apps/server/src/a.ts → apps/server/src/b.ts → apps/server/src/c.ts → apps/server/src/a.ts",
  ]);
});

test("a circle through a type or a lazy import is none", () => {
  expect(
    reasonsOf({
      "apps/web/src/a.ts": 'import type { B } from "./b.ts";',
      "apps/web/src/b.ts": 'const a = import("./c.ts");',
      "apps/web/src/c.ts": 'import "./b.ts"; import "./a.ts";',
    }),
  ).toEqual([]);
});
