import { StartError } from "../../data-folder/start-error.ts";

const DEFAULT_ADDRESS = "https://huggingface.co";

/** Hosts that the default hub sends on to for a model's large files. */
const DEFAULT_FILE_HOSTS = ["https://*.huggingface.co", "https://*.hf.co"];

/** The hub from which browsers fetch models. */
export type Hub = {
  /** Without a slash at the end. */
  address: string;
  /** What the worker that fetches may connect to, as sources of a content security policy. */
  sources: string[];
};

/**
 * The hub that `HF_ENDPOINT` names; the public one where it names none.
 *
 * @throws StartError when that is no address of the web.
 */
export function toHub(endpoint: string | undefined): Hub {
  const address = (endpoint ?? "").trim().replace(/\/+$/, "") || DEFAULT_ADDRESS;
  const url = URL.canParse(address) ? new URL(address) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.search === "";
  if (!isPlain)
    throw new StartError(
      "HF_ENDPOINT is not the address of a hub.\nGive it one without a name or password, such as https://huggingface.co, or take it away.",
    );
  return { address, sources: [url.origin, ...(address === DEFAULT_ADDRESS ? DEFAULT_FILE_HOSTS : [])] };
}
