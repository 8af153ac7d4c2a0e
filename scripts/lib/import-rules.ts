import { dirname, join, normalize } from "node:path/posix";

/** An import that breaks a rule of the house, and why. */
export type ImportFault = { path: string; imported: string; reason: string };

type Import = { specifier: string; isType: boolean; isLazy: boolean };

/** What each part may import beside its own files and Node's modules; `null` allows any package. */
const PARTS: {
  part: string;
  workspace: RegExp | null;
  packages: RegExp | null;
  node: boolean;
  why: string;
}[] = [
  {
    part: "packages/core/src/",
    workspace: null,
    packages: /^zod$/,
    node: false,
    why: "core is pure TypeScript: no React, no Node, no DOM, no other part; what it needs is handed in",
  },
  {
    part: "packages/ui/src/",
    workspace: /^@sightline\/core\//,
    packages: /^(?!@trpc\/|@tanstack\/react-(query|router)|fastify|node-av|better-sqlite3)/,
    node: false,
    why: "ui knows props, not the product: it imports core and what draws",
  },
  {
    part: "apps/server/src/",
    workspace: /^@sightline\/core\//,
    packages: /^(?!react|@mantine\/)/,
    node: true,
    why: "server imports core; what it shares with the web goes there",
  },
  {
    part: "apps/web/src/",
    workspace: /^@sightline\/(core|ui)\//,
    packages: /^(?!fastify|better-sqlite3|drizzle-orm|node-av|@trpc\/server(?!\/observable))/,
    node: false,
    why: "web imports core and ui, and of the server only `import type` from @sightline/server/router",
  },
];

const TEST_FILE = /\.test\.tsx?$|\/testing(\/|\.tsx?$)|\/test-[^/]*$/;

/**
 * Holds every import to the arrows of the house: core ← ui ← web, core ← server, no sibling features, no cycles.
 *
 * @param files  Source text by path from the root of the repository, with `/` between the parts.
 */
export function findImportFaults(files: ReadonlyMap<string, string>): ImportFault[] {
  const imports = new Map([...files].map(([path, source]) => [path, listImports(source)]));
  const faults = [...imports].flatMap(([path, found]) =>
    found.flatMap((one) => {
      const reason = findBrokenRule(path, one);
      return reason === null ? [] : [{ path, imported: one.specifier, reason }];
    }),
  );
  return [...faults, ...findCycles(imports)];
}

/** The imports and re-exports of a module, comments left out. */
export function listImports(source: string): Import[] {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const fixed = code.matchAll(
    /^\s*(?:import|export)\s+(type\s+)?([\w*{][^;"'`]*?\sfrom\s*)?["']([^"'\n]+)["']/gm,
  );
  const lazy = code.matchAll(/\bimport\(\s*["']([^"'\n]+)["']/g);
  return [
    ...[...fixed].map(([, type, names = "", specifier = ""]) => ({
      specifier,
      isType: type !== undefined || /^\{\s*(type\s+\w+(\s+as\s+\w+)?\s*,?\s*)+\}\s*from\s*$/.test(names),
      isLazy: false,
    })),
    ...[...lazy].map(([, specifier = ""]) => ({ specifier, isType: false, isLazy: true })),
  ];
}

function findBrokenRule(path: string, { specifier, isType }: Import): string | null {
  const part = PARTS.find((one) => path.startsWith(one.part));
  if (part === undefined) return null;
  const isTest = TEST_FILE.test(path);
  const target = resolve(path, specifier);
  // A test may put together whatever it tries, even siblings.
  if (target !== null && isTest) return null;
  if (target !== null) {
    if (!target.startsWith(part.part)) return "a part is imported by its name, not by its path";
    return findFeatureFault(path, target, isType);
  }
  if (specifier === "@sightline/server/router" && part.part === "apps/web/src/")
    return isType ? null : part.why;
  if (isTest) return null;
  if (specifier.startsWith("@sightline/")) return part.workspace?.test(specifier) ? null : part.why;
  if (specifier.startsWith("node:")) return part.node ? null : part.why;
  return part.packages === null || part.packages.test(specifier) ? null : part.why;
}

const FEATURE = /^(apps\/(?:web|server)\/src\/features\/)([^/]+)\//;

function findFeatureFault(path: string, target: string, isType: boolean): string | null {
  const [, home, feature] = FEATURE.exec(path) ?? [];
  const [, otherHome, sibling] = FEATURE.exec(target) ?? [];
  if (sibling === undefined || home !== otherHome || feature === sibling) return null;
  // On the server a feature is handed what it needs of another, so it names that one's type and nothing else.
  if (home === "apps/server/src/features/" && isType) return null;
  return "a feature never imports a sibling: app, or the address, brings them together";
}

/** @returns null for a package. */
function resolve(path: string, specifier: string): string | null {
  return specifier.startsWith(".")
    ? normalize(join(dirname(path), specifier.split("?")[0] ?? specifier))
    : null;
}

/** Each circle of imports once, as the path that closes it. Types and lazy imports close none. */
function findCycles(imports: ReadonlyMap<string, Import[]>): ImportFault[] {
  const faults: ImportFault[] = [];
  const done = new Set<string>();
  const trail: string[] = [];
  const visit = (path: string) => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      const circle = [...trail.slice(start), path];
      faults.push({ path: trail.at(-1) ?? path, imported: path, reason: `a circle: ${circle.join(" → ")}` });
      return;
    }
    if (done.has(path)) return;
    trail.push(path);
    for (const { specifier, isType, isLazy } of imports.get(path) ?? []) {
      const target = resolve(path, specifier);
      if (!isType && !isLazy && target !== null && imports.has(target)) visit(target);
    }
    trail.pop();
    done.add(path);
  };
  for (const path of imports.keys()) visit(path);
  return faults;
}
