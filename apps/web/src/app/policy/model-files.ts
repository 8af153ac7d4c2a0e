/** Looks at a model's files before they are fetched, and says in plain words what is wrong with them. */
import { getPolicyPath, type PolicyDtype, type PolicySource } from "@sightline/core/policies";

const WEIGHTS: readonly (readonly [PolicyDtype, string])[] = [
  ["fp32", "model"],
  ["fp16", "model_fp16"],
  ["q8", "model_quantized"],
  ["q4f16", "model_q4f16"],
  ["q4", "model_q4"],
];

/** ONNX Runtime's memory ends at 4 GB in a browser, and it holds the weights twice while it starts. */
const MOST_BYTES = 2e9;

/** Address of a source's files on this server, which sends on to the hub's. */
export function getBase(source: PolicySource): string {
  return `/media/policies/${getPolicyPath(source)}`;
}

/**
 * Names the files as they are now: a run that is exported anew is another policy.
 *
 * @throws An Error with a sentence when the files aren't there or can't be reached.
 */
export async function readKey(source: PolicySource, signal: AbortSignal): Promise<string> {
  const response = await look(source, "config.json", { signal, cache: "no-cache" });
  if (!response.ok) throw new Error(sayMissing(source, response));
  return `${getBase(source)} ${response.headers.get("etag") ?? ""}`;
}

/**
 * The weights with the least loss of precision among those that a browser can hold.
 *
 * @throws An Error with a sentence when a file is missing, or all weights are too large.
 */
export async function findDtype(source: PolicySource, signal: AbortSignal): Promise<PolicyDtype> {
  const head = (path: string) => look(source, path, { method: "HEAD", signal });
  for (const path of ["tokenizer.json", "tokenizer_config.json"]) {
    if (!(await head(path)).ok) throw new Error(`This model has no ${path}, and can't be run without it.`);
  }
  let least = Number.POSITIVE_INFINITY;
  for (const [dtype, name] of WEIGHTS) {
    const weights = await head(`onnx/${name}.onnx`);
    if (!weights.ok) continue;
    const beside = await head(`onnx/${name}.onnx_data`);
    const bytes = readBytes(weights) + (beside.ok ? readBytes(beside) : 0);
    if (bytes <= MOST_BYTES) return dtype;
    least = Math.min(least, bytes);
  }
  if (least === Number.POSITIVE_INFINITY)
    throw new Error(
      source.kind === "hub"
        ? "This model has no ONNX weights (onnx/model.onnx). Choose one that was made for transformers.js."
        : "This model has no weights under onnx. Copy it as it is laid out for transformers.js.",
    );
  throw new Error(
    `This model is too large for a browser: its smallest weights have ${(least / 1e9).toFixed(1)} GB, and ${MOST_BYTES / 1e9} GB is the most. Serve it and add the endpoint under Settings.`,
  );
}

/** Why weights that were fetched don't run. */
export function explainStart(error: unknown): Error {
  const reason = error instanceof Error ? error.message : String(error);
  return /alloc|out of memory/i.test(reason)
    ? new Error("This model is too large for this browser's memory. Choose a smaller one.")
    : new Error(`This browser can't run the model: ${reason}`);
}

async function look(source: PolicySource, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(`${getBase(source)}/${path}`, init);
  } catch (error) {
    if (init.signal?.aborted || source.kind !== "hub") throw error;
    throw new Error(
      `The hub can't be reached for ${source.id}. Look whether this machine is on the network and, where HF_ENDPOINT is set, what it names; then try again.`,
    );
  }
}

/** Zero where the server does not say. */
function readBytes({ headers }: Response): number {
  return Number(headers.get("content-length") ?? 0);
}

/** The hub says 401 also of models that it does not have, and tells more in a header of its own. */
function sayMissing(source: PolicySource, { status, redirected, headers }: Response): string {
  if (source.kind !== "hub")
    return status === 404
      ? "This policy's files are gone from the server. Choose another one, or export it again."
      : `The server answered ${status} for the policy's files.`;
  const { id } = source;
  if (!redirected)
    return status === 404
      ? `${id} is no longer among the models of the hub. Add it again under Settings.`
      : `The server answered ${status} for ${id}.`;
  const code = headers.get("x-error-code");
  if (code === "GatedRepo")
    return `${id} is open only to those who have asked its owner. Download its files into a folder under models in the data folder, and choose it there.`;
  if (code === "EntryNotFound")
    return `${id} has no config.json, so it is no model that transformers.js can run. Choose one that was made for it.`;
  if ([401, 403, 404].includes(status))
    return `The hub has no model ${id} that is open to everyone. Compare the id with the model's page.`;
  return `The hub answered ${status} for ${id}. Try again later.`;
}
