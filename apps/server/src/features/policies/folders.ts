import type { Dirent } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Policy, PolicyCard, type PolicyDtype } from "@sightline/core/policies";
import { z } from "zod";
import { confinePath } from "../../http/confine-path.ts";

/** A name that is safe as one part of a path and of an address. */
export const SafeName = /^[A-Za-z0-9][\w.-]{0,127}$/;

/** The trainer's marker: every file with its bytes, written last. */
const Marker = z.object({ files: z.record(z.string(), z.number()) });

/** Files of a model folder by loss of precision, the least first. */
const WEIGHTS: readonly (readonly [PolicyDtype, string])[] = [
  ["fp32", "model.onnx"],
  ["fp16", "model_fp16.onnx"],
  ["q8", "model_quantized.onnx"],
  ["q4f16", "model_q4f16.onnx"],
  ["q4", "model_q4.onnx"],
];
const NEEDED = ["config.json", "tokenizer.json", "tokenizer_config.json"];

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, "utf8"));
}

/**
 * The exported policy in a folder.
 *
 * @param folder  Free of links.
 * @returns Null while there is none, or it is not whole.
 */
export async function readExport(folder: string, run_id: string): Promise<Policy | null> {
  try {
    const { files } = Marker.parse(await readJson(join(folder, "COMPLETE.json")));
    for (const [name, bytes] of Object.entries(files)) {
      if ((await stat(await confinePath(folder, name))).size !== bytes) return null;
    }
    const card = PolicyCard.parse(await readJson(join(folder, "policy.json")));
    return {
      source: { kind: "run", run_id },
      name: card.name,
      card,
      dtype: "fp32",
      bytes: Object.values(files).reduce((sum, bytes) => sum + bytes, 0),
      made_secs: card.made_secs,
      problem: null,
    };
  } catch {
    // No export, one that is being replaced, or files that are no export: there is nothing that could be loaded.
    return null;
  }
}

/** Model folders that a person put under `models`, with what is missing from each. */
export async function listModelFolders(modelsDir: string): Promise<Policy[]> {
  const entries = await readdir(modelsDir, { withFileTypes: true }).catch((): Dirent[] => []);
  const names = entries.filter((entry) => !entry.name.startsWith(".") && !entry.isFile());
  return Promise.all(names.map(({ name }) => readModelFolder(modelsDir, name)));
}

/** A file's size; null for a folder. */
async function lookAt(path: string): Promise<{ bytes: number | null }> {
  const found = await stat(path);
  return { bytes: found.isFile() ? found.size : null };
}

async function readModelFolder(modelsDir: string, name: string): Promise<Policy> {
  const policy: Policy = {
    source: { kind: "folder", model_id: name },
    name,
    card: null,
    dtype: "fp32",
    bytes: 0,
    made_secs: 0,
    problem: null,
  };
  if (!SafeName.test(name))
    return { ...policy, problem: "Rename the folder: letters, digits, dots, dashes and underscores only." };
  try {
    const folder = await confinePath(modelsDir, name);
    const here = new Set(await readdir(folder, { recursive: true }));
    const weights = WEIGHTS.find(([, file]) => here.has(join("onnx", file)));
    const missing = NEEDED.filter((file) => !here.has(file));
    if (!weights) missing.push("onnx/model.onnx");
    const files = await Promise.all(
      [...here].map(async (name) => ({ name, ...(await lookAt(await confinePath(folder, name))) })),
    );
    const used = [...NEEDED, join("onnx", weights?.[1] ?? "")];
    const empty = files.filter(({ name, bytes }) => bytes === 0 && used.includes(name));
    return {
      ...policy,
      dtype: weights?.[0] ?? "fp32",
      bytes: files.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
      made_secs: (await stat(folder)).mtimeMs / 1000,
      problem:
        missing.length > 0
          ? `It lacks ${missing.join(", ")}: copy the model as it is laid out for transformers.js.`
          : empty.length > 0
            ? `${empty.map(({ name }) => name).join(", ")} holds nothing: copy it again.`
            : null,
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...policy, problem: `It can't be read: ${reason} Copy the files themselves, without links.` };
  }
}
