import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { TRPCError } from "@trpc/server";
import PQueue from "p-queue";
import type { Secrets } from "../../data-folder/secrets.ts";
import {
  type ChatAnswer,
  type ChatDelta,
  type ChatRequest,
  callChat,
  createKeyHider,
  hideKey,
  listModels,
  PATIENCE,
  type Patience,
  type Target,
} from "./chat.ts";
import { EndpointProblem } from "./problem.ts";
import type { EndpointRow, EndpointStore } from "./store.ts";

/** An OpenAI-compatible endpoint as the browser may see it. */
export type Endpoint = {
  endpoint_id: string;
  name: string;
  base_url: string;
  /** Offered where a model is chosen; any other can be typed. */
  models: string[];
  /** Calls at the same time. */
  concurrency: number;
  has_key: boolean;
  is_removed: boolean;
};

/** What a person says of an endpoint. */
export type EndpointDraft = Pick<Endpoint, "name" | "base_url" | "models" | "concurrency"> & {
  /** Null for a new one. */
  endpoint_id: string | null;
  /** Undefined leaves the key as it is, null takes it away. */
  key?: string | null;
};

/** What "Try it" found. */
export type Trial = {
  /** What it lists; null when it lists none. */
  models: string[] | null;
  /** A sentence with what to do; null when all is well. */
  problem: string | null;
  /** Seconds that a small question took; null when none was asked or answered. */
  answer_secs: number | null;
};

export type ChatOptions = {
  signal: AbortSignal;
  /** Calls of a higher one go first. A person who waits: 1. Default 0. */
  priority?: number;
  /** Called as the answer streams in. An answer that broke off after its first piece is then not asked again. */
  onDelta?: (delta: ChatDelta) => void;
};

/** The OpenAI-compatible endpoints that a person named, and the one way to ask them. */
export type Endpoints = {
  /** Those that stand, oldest first. */
  list(): Endpoint[];
  /** A removed one too, for what was made with it. Throws a TRPCError when there never was one. */
  get(endpoint_id: string): Endpoint;
  /** Another base URL takes the key away, unless a new one comes with it. */
  put(draft: EndpointDraft): Endpoint;
  /** Takes an endpoint and its key away; it can come back, without the key. */
  remove(endpoint_id: string): void;
  restore(endpoint_id: string): Endpoint;
  /** Looks whether it answers, which models it has, and whether it knows `model`. */
  attempt(endpoint_id: string, model: string | null, signal: AbortSignal): Promise<Trial>;
  /**
   * Asks a model, with as many calls at the same time as the endpoint allows.
   *
   * Calls that fail in passing (429, 5xx, network, broken off, timed out) are made again after a wait that doubles,
   * or as long as the endpoint's Retry-After says.
   *
   * @throws EndpointProblem in words for a person; the signal's reason when it was told to stop.
   */
  chat(endpoint_id: string, request: ChatRequest, options: ChatOptions): Promise<ChatAnswer>;
};

export function createEndpointService({
  store,
  keys,
  patience = PATIENCE,
}: {
  store: EndpointStore;
  /** By endpoint. */
  keys: Secrets;
  /** Another one for tests. */
  patience?: Patience;
}): Endpoints {
  const queues = new Map<string, PQueue>();

  const find = (endpoint_id: string): EndpointRow => {
    const row = store.get(endpoint_id);
    if (!row) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such endpoint." });
    return row;
  };
  const show = ({ created_secs: _, removed_secs, ...row }: EndpointRow): Endpoint => ({
    ...row,
    has_key: keys.get(row.endpoint_id) !== null,
    is_removed: removed_secs !== null,
  });
  const toTarget = ({ endpoint_id, base_url }: EndpointRow): Target => ({
    base_url,
    key: keys.get(endpoint_id),
  });
  const getQueue = ({ endpoint_id, concurrency }: EndpointRow): PQueue => {
    const queue = queues.get(endpoint_id) ?? new PQueue({ concurrency });
    queue.concurrency = concurrency;
    queues.set(endpoint_id, queue);
    return queue;
  };

  return {
    list: () =>
      store
        .list()
        .filter(({ removed_secs }) => removed_secs === null)
        .map(show),
    get: (endpoint_id) => show(find(endpoint_id)),
    put({ endpoint_id, key, ...draft }) {
      const known = endpoint_id === null ? null : find(endpoint_id);
      const fields = { ...draft, base_url: cleanBaseUrl(draft.base_url) };
      const row: EndpointRow = known
        ? { ...known, ...fields }
        : { ...fields, endpoint_id: randomUUID(), created_secs: Date.now() / 1000, removed_secs: null };
      // The key goes before the address changes: at no moment does the old one belong to the new address.
      if (known && known.base_url !== row.base_url) keys.set(row.endpoint_id, null);
      store.put(row);
      if (key !== undefined) keys.set(row.endpoint_id, key === null ? null : cleanKey(key));
      return show(row);
    },
    remove(endpoint_id) {
      const row = find(endpoint_id);
      keys.set(endpoint_id, null);
      store.put({ ...row, removed_secs: Date.now() / 1000 });
    },
    restore(endpoint_id) {
      const row = { ...find(endpoint_id), removed_secs: null };
      store.put(row);
      return show(row);
    },
    async attempt(endpoint_id, model, signal) {
      const target = toTarget(find(endpoint_id));
      const quick = { ...patience, first_ms: Math.min(patience.first_ms, 10_000), total_ms: 30_000 };
      let models: string[] | null = null;
      try {
        models = await listModels(target, quick, signal).catch((error: unknown) => {
          // A connection that was kept from an earlier call may have gone stale.
          if (!(error instanceof EndpointProblem) || error.kind !== "broken_off") throw error;
          return listModels(target, quick, signal);
        });
      } catch (error) {
        if (!(error instanceof EndpointProblem)) throw error;
        // Some servers answer questions and list nothing; a model's name then says whether it does.
        const may_answer = model !== null && (error.kind === "not_an_api" || error.kind === "refused");
        if (!may_answer) return { models: null, problem: error.message, answer_secs: null };
      }
      if (model === null) return { models, problem: null, answer_secs: null };
      const began = performance.now();
      const request: ChatRequest = {
        model,
        messages: [{ role: "user", content: "Reply with the word yes." }],
        temperature: 0,
        max_tokens: 16,
      };
      try {
        await callChat(target, request, patience, signal, () => undefined);
        return { models, problem: null, answer_secs: (performance.now() - began) / 1000 };
      } catch (error) {
        if (!(error instanceof EndpointProblem)) throw error;
        return { models, problem: error.message, answer_secs: null };
      }
    },
    chat(endpoint_id, request, { signal, priority = 0, onDelta }) {
      const row = find(endpoint_id);
      if (row.removed_secs !== null) {
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `The endpoint ${row.name} was removed.`,
        });
      }
      const work = () => chatPatiently(toTarget(row), request, patience, signal, onDelta);
      return getQueue(row).add(work, { priority, signal }) as Promise<ChatAnswer>;
    },
  };
}

async function chatPatiently(
  target: Target,
  request: ChatRequest,
  patience: Patience,
  signal: AbortSignal,
  onDelta: ChatOptions["onDelta"],
): Promise<ChatAnswer> {
  const began = performance.now();
  for (let calls = 1; ; calls++) {
    let has_begun = false;
    const texts = createKeyHider(target.key);
    const reasonings = createKeyHider(target.key);
    try {
      const answer = await callChat(target, request, patience, signal, ({ text, reasoning }) => {
        has_begun = true;
        // An answer that begins ends the reasoning.
        const rest = text === "" ? "" : reasonings.end();
        onDelta?.({ text: texts.take(text), reasoning: reasonings.take(reasoning) + rest });
      });
      onDelta?.({ text: texts.end(), reasoning: reasonings.end() });
      return {
        ...answer,
        text: hideKey(answer.text, target.key),
        reasoning: hideKey(answer.reasoning, target.key),
        calls,
        secs: (performance.now() - began) / 1000,
      };
    } catch (error) {
      if (!(error instanceof EndpointProblem) || !error.is_passing) throw error;
      if (calls >= patience.calls || (has_begun && onDelta !== undefined)) throw error;
      const wait_ms = getWait(error, calls, patience);
      if (wait_ms === null) throw error;
      await sleep(wait_ms, undefined, { signal });
    }
  }
}

/** Milliseconds until the next call; null when the endpoint asks for more than a person would wait. */
function getWait({ retry_after_secs }: EndpointProblem, calls: number, patience: Patience): number | null {
  if (retry_after_secs !== null) {
    // A date of a clock that is behind ours has passed already.
    const asked = Math.max(retry_after_secs * 1000, patience.backoff_ms);
    // All that wait for the same moment would come back at once.
    return asked > patience.backoff_max_ms ? null : asked * (1 + 0.1 * Math.random());
  }
  const backoff = Math.min(patience.backoff_max_ms, patience.backoff_ms * 2 ** (calls - 1));
  return backoff * (0.5 + 0.5 * Math.random());
}

function refuse(message: string): TRPCError {
  return new TRPCError({ code: "BAD_REQUEST", message });
}

/** @throws TRPCError with a sentence; it never repeats the URL, which may hold a secret. */
function cleanBaseUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw refuse("The base URL is no address. It looks like http://127.0.0.1:8000/v1.");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refuse("The base URL begins with http:// or https://.");
  }
  if (url.username !== "" || url.password !== "") {
    throw refuse("The base URL holds a name or password. The key has a field of its own.");
  }
  if (url.search !== "" || url.hash !== "") {
    throw refuse("The base URL ends before “?” and “#”. The key has a field of its own.");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "").replace(/\/chat\/completions$/, "");
}

function cleanKey(text: string): string {
  const key = text.trim();
  if (!/^[\x21-\x7e]{4,4000}$/.test(key)) {
    throw refuse("The key holds a blank or a letter that no key has, or is shorter than four characters.");
  }
  return key;
}
