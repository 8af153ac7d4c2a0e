import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "@playwright/test";

const WEB = join(import.meta.dirname, "../..");
const PATH = "/extract-page/";
const TYPES: Record<string, string> = { ".html": "text/html", ".js": "text/javascript" };

/** A built page that holds the key-frame worker's client and nothing else. */
export type ExtractPage = {
  /** Opens it as if the server of `page` served it. */
  open(page: Page): Promise<void>;
  remove(): void;
};

/** Builds the page as the product is built: the worker is bundled, OpenCV is a chunk of its own. */
export async function buildExtractPage(): Promise<ExtractPage> {
  const outDir = mkdtempSync(join(tmpdir(), "sightline-extract-page-"));
  const vite = createRequire(join(WEB, "package.json")).resolve("vite");
  const { build } = (await import(pathToFileURL(vite).href)) as typeof import("vite");
  await build({
    configFile: false,
    root: join(import.meta.dirname, "extract-page"),
    base: PATH,
    logLevel: "warn",
    worker: { format: "es" },
    build: { target: "es2023", outDir, emptyOutDir: true, chunkSizeWarningLimit: 12_000 },
  });
  return {
    async open(page) {
      await page.context().route(
        (url) => url.pathname.startsWith(PATH),
        (route) => {
          const name = new URL(route.request().url()).pathname.slice(PATH.length) || "index.html";
          return route.fulfill({
            body: readFileSync(join(outDir, name)),
            contentType: TYPES[extname(name)] ?? "application/octet-stream",
            headers: {
              "Cross-Origin-Opener-Policy": "same-origin",
              "Cross-Origin-Embedder-Policy": "require-corp",
            },
          });
        },
      );
      await page.goto(PATH);
      await page.waitForFunction(() => "keyFrames" in window);
    },
    remove: () => rmSync(outDir, { recursive: true, force: true }),
  };
}
