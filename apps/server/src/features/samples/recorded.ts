import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";

/** A recorded run: its directory as one compressed file, texts by path. */
const Archive = z.object({ run_id: z.string().regex(/^[\w.-]+$/), files: z.record(z.string(), z.string()) });

/** What a reader of the run needs; weights, locks and heartbeats stay behind. */
const KEPT =
  /^(spec\.json|data\/.*\.jsonl|attempts\/\d+\/(events|completions-\d+)\.jsonl|attempts\/\d+\/(id|exit)\.json|attempts\/\d+\/log\.txt)$/;

/**
 * Packs a finished run directory; the run says of itself that it was recorded.
 *
 * @param run_id  What the recorded run is called.
 * @param python  The interpreter that trained: like the directory's own path, it is left out.
 * @returns The compressed bytes.
 */
export function packRun(runDir: string, run_id: string, python: string): Buffer {
  const files: Record<string, string> = {};
  const { run_id: own } = z.object({ run_id: z.string() }).parse(readJson(join(runDir, "spec.json")));
  for (const path of walk(runDir).filter((name) => KEPT.test(name))) {
    const text = readFileSync(join(runDir, path), "utf8")
      .replaceAll(runDir, "")
      .replaceAll(own, run_id)
      .replaceAll(python, "python");
    files[path] = path === "spec.json" ? JSON.stringify({ ...JSON.parse(text), recorded: true }) : text;
  }
  return gzipSync(JSON.stringify({ run_id, files }), { level: 9 });
}

/** The texts of a packed run, by path below its directory. */
export function unpackRun(file: string): z.infer<typeof Archive> {
  return Archive.parse(JSON.parse(gunzipSync(readFileSync(file)).toString()));
}

/**
 * Lays a folder's packed runs beside the others, where they are found like any run that the database does not know.
 *
 * @returns Names of those that were not there yet.
 */
export function layOutRuns(folder: string, runsDir: string): string[] {
  if (!existsSync(folder)) return [];
  const packed = readdirSync(folder).filter((entry) => entry.endsWith(".json.gz"));
  return packed.flatMap((name) => {
    const { run_id, files } = unpackRun(join(folder, name));
    const target = join(runsDir, run_id);
    if (existsSync(target)) return [];
    // Made under another name first, so that a crash leaves no half run.
    const draft = join(runsDir, `.${run_id}.part`);
    for (const [path, text] of Object.entries(files)) {
      const file = join(draft, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    renameSync(draft, target);
    return [run_id];
  });
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

function walk(root: string, folder = root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? walk(root, path) : [relative(root, path)];
  });
}
