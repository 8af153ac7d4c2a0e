/** Files of a model that are being fetched, in bytes; `total` counts those that were begun. */
export type LoadProgress = { loaded: number; total: number };

export type GenerateOptions = {
  /** Most tokens to write; the policy's own limit by default. */
  max_tokens?: number;
  signal?: AbortSignal;
};

/** What was written. `finish` is `length` when the limit came before the policy's own end. */
export type Generated = { text: string; tokens: number; finish: "eos" | "length" };
