import { createParser } from "eventsource-parser";
import { EndpointProblem, explainNetworkError, explainStatus } from "./problem.ts";

export type ChatPart =
  | { type: "text"; text: string }
  /** `url` is a data URL: endpoints are handed pictures, never addresses of ours. */
  | { type: "image_url"; image_url: { url: string } };

export type ChatMessage = { role: "system" | "user" | "assistant"; content: string | ChatPart[] };

export type ChatRequest = {
  model: string;
  messages: ChatMessage[];
  temperature: number;
  max_tokens: number;
};

export type ChatAnswer = {
  /** The answer, with inline tags as the model wrote them. */
  text: string;
  /** What the endpoint gave apart as `reasoning_content`; empty when it gave none. */
  reasoning: string;
  /** Why it ended: "stop", "length"; null when the endpoint did not say. */
  finish: string | null;
  /** Null when the endpoint did not count. */
  prompt_tokens: number | null;
  completion_tokens: number | null;
  /** Calls that it took, failed ones included. */
  calls: number;
  /** From the first call's begin to the end, in seconds. */
  secs: number;
};

/** A piece of an answer that streams in. */
export type ChatDelta = { text: string; reasoning: string };

/** How patient the client is. */
export type Patience = {
  /** Until the first byte of an answer, from the call on, in milliseconds. */
  first_ms: number;
  /** Between two pieces. */
  idle_ms: number;
  /** For one call in all. */
  total_ms: number;
  /** Calls at most for one answer. */
  calls: number;
  /** Wait before the second call; doubles with each further one. */
  backoff_ms: number;
  /** Longest wait between two calls; an endpoint that asks for a longer one is given up. */
  backoff_max_ms: number;
};

export const PATIENCE: Patience = {
  first_ms: 180_000,
  idle_ms: 60_000,
  total_ms: 900_000,
  calls: 5,
  backoff_ms: 1000,
  backoff_max_ms: 60_000,
};

/** Characters of an answer at most; a model that babbles on is cut off. */
const LONGEST = 1_000_000;
const LONGEST_ERROR = 300;

export type Target = { base_url: string; key: string | null };

/** Takes a key out of what an endpoint wrote. */
export function hideKey(text: string, key: string | null): string {
  return key === null ? text : text.replaceAll(key, "[key]");
}

/** Takes a key out of a text that comes in pieces, also where a piece ends in the middle of the key. */
export function createKeyHider(key: string | null) {
  let held = "";
  return {
    /** What of the text so far can't be a part of the key. */
    take(piece: string): string {
      const text = hideKey(held + piece, key);
      let begun = Math.min((key?.length ?? 0) - 1, text.length);
      while (begun > 0 && !text.endsWith(key?.slice(0, begun) ?? "")) begun -= 1;
      const end = text.length - Math.max(0, begun);
      held = text.slice(end);
      return text.slice(0, end);
    },
    /** What was held back, once the text has ended without being the key. */
    end(): string {
      const rest = held;
      held = "";
      return rest;
    },
  };
}

/**
 * One call to `/chat/completions`, streamed.
 *
 * An endpoint that answers in one piece instead is read as well. Redirects are not followed.
 *
 * @throws EndpointProblem in words for a person; the signal's reason when it was told to stop.
 */
export async function callChat(
  target: Target,
  request: ChatRequest,
  patience: Patience,
  signal: AbortSignal,
  onDelta: (delta: ChatDelta) => void,
): Promise<Omit<ChatAnswer, "calls" | "secs">> {
  const body = JSON.stringify({ ...request, stream: true, stream_options: { include_usage: true } });
  return callEndpoint(
    target,
    "/chat/completions",
    { body, model: request.model },
    patience,
    signal,
    (reply) => readChat(reply, onDelta),
  );
}

/** The models that an endpoint lists. */
export function listModels(target: Target, patience: Patience, signal: AbortSignal): Promise<string[]> {
  return callEndpoint(target, "/models", { body: null, model: null }, patience, signal, async (reply) => {
    const listed = parseJson(await readAll(reply)) as { data?: ({ id?: unknown } | null)[] } | null;
    if (!Array.isArray(listed?.data)) throw notAnApi(reply.host);
    return listed.data.flatMap((one) => (typeof one?.id === "string" ? [hideKey(one.id, target.key)] : []));
  });
}

type Reply = {
  host: string;
  key: string | null;
  type: string;
  pieces: AsyncIterable<string>;
};

async function callEndpoint<T>(
  { base_url, key }: Target,
  path: string,
  { body, model }: { body: string | null; model: string | null },
  patience: Patience,
  signal: AbortSignal,
  read: (reply: Reply) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const { host } = new URL(base_url);
  const stop = new AbortController();
  const giveUp = (words: string) => stop.abort(new EndpointProblem(`${host} ${words}`, "timeout"));
  const inAll = setTimeout(giveUp, patience.total_ms, "took too long for one answer.");
  let timer = setTimeout(giveUp, patience.first_ms, "took the call and said nothing.");
  const onAbort = () => stop.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  const onPiece = () => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, patience.idle_ms, "stopped in the middle of an answer.");
  };
  try {
    const response = await fetch(`${base_url}${path}`, {
      method: body === null ? "GET" : "POST",
      headers: {
        accept: "text/event-stream, application/json",
        ...(body !== null && { "content-type": "application/json" }),
        ...(key !== null && { authorization: `Bearer ${key}` }),
      },
      body,
      redirect: "manual",
      signal: stop.signal,
    });
    const type = response.headers.get("content-type")?.toLowerCase() ?? "";
    const reply: Reply = { host, key, type, pieces: readPieces(response, onPiece) };
    if (!response.ok) {
      const said = type.includes("html") ? "" : readErrorText(await readAll(reply), key);
      const context = { host, model, has_key: key !== null };
      throw explainStatus(response.status, said, context, readRetryAfter(response.headers));
    }
    if (type.includes("html")) throw notAnApi(host);
    return await read(reply);
  } catch (error) {
    signal.throwIfAborted();
    if (stop.signal.reason instanceof EndpointProblem) throw stop.signal.reason;
    if (error instanceof EndpointProblem) {
      throw new EndpointProblem(hideKey(error.message, key), error.kind, error.retry_after_secs);
    }
    throw explainNetworkError(error, host);
  } finally {
    clearTimeout(timer);
    clearTimeout(inAll);
    signal.removeEventListener("abort", onAbort);
    // Ends a body that was not read to its end.
    stop.abort();
  }
}

async function* readPieces(response: Response, onPiece: () => void): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let length = 0;
  for await (const bytes of response.body ?? []) {
    onPiece();
    const text = decoder.decode(bytes as Uint8Array, { stream: true });
    length += text.length;
    if (length > 20 * LONGEST) return;
    yield text;
  }
  yield decoder.decode();
}

async function readAll({ pieces }: Reply): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece;
  return text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const notAnApi = (host: string) =>
  new EndpointProblem(
    `${host} answers with a page, not as an OpenAI-compatible API. The base URL mostly ends in /v1.`,
    "not_an_api",
  );

const brokenOff = (host: string) =>
  new EndpointProblem(`${host} broke off in the middle of an answer.`, "broken_off");

/** The sentence in an error's body: OpenAI's form, vLLM's, Ollama's, or the text itself; without the key. */
function readErrorText(body: string, key: string | null): string {
  const value = parseJson(body) as {
    error?: { message?: unknown } | string;
    message?: unknown;
    detail?: unknown;
  } | null;
  const error = value?.error;
  const said = (typeof error === "string" ? error : error?.message) ?? value?.message ?? value?.detail;
  const text = typeof said === "string" ? said : value === null ? body : "";
  return hideKey(text, key).replace(/\s+/g, " ").trim().slice(0, LONGEST_ERROR);
}

/** Seconds of a Retry-After header, which is a number or a date; null without a usable one. */
export function readRetryAfter(headers: Headers, now_ms = Date.now()): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const secs = /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : (Date.parse(text) - now_ms) / 1000;
  return Number.isFinite(secs) ? Math.max(0, secs) : null;
}

type Choice = {
  delta?: { content?: unknown; reasoning_content?: unknown; reasoning?: unknown } | null;
  message?: { content?: unknown; reasoning_content?: unknown; reasoning?: unknown } | null;
  finish_reason?: unknown;
};
type Chunk = {
  choices?: Choice[];
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null;
  error?: { message?: unknown; code?: unknown } | string | null;
};

const asText = (value: unknown) => (typeof value === "string" ? value : "");
const asCount = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : null);

async function readChat(
  reply: Reply,
  onDelta: (delta: ChatDelta) => void,
): Promise<Omit<ChatAnswer, "calls" | "secs">> {
  const answer: Omit<ChatAnswer, "calls" | "secs"> = {
    text: "",
    reasoning: "",
    finish: null,
    prompt_tokens: null,
    completion_tokens: null,
  };
  const take = (chunk: Chunk) => {
    if (chunk.error) {
      const said = readErrorText(JSON.stringify({ error: chunk.error }), reply.key);
      throw new EndpointProblem(`${reply.host} failed while it answered: “${said}”`, "server_error");
    }
    const [choice] = Array.isArray(chunk.choices) ? chunk.choices : [];
    const said = choice?.delta ?? choice?.message;
    const delta = {
      text: asText(said?.content),
      reasoning: asText(said?.reasoning_content) || asText(said?.reasoning),
    };
    if (delta.text !== "" || delta.reasoning !== "") {
      answer.text += delta.text;
      answer.reasoning += delta.reasoning;
      onDelta(delta);
    }
    if (typeof choice?.finish_reason === "string") answer.finish = choice.finish_reason;
    answer.prompt_tokens = asCount(chunk.usage?.prompt_tokens) ?? answer.prompt_tokens;
    answer.completion_tokens = asCount(chunk.usage?.completion_tokens) ?? answer.completion_tokens;
  };

  if (!reply.type.includes("event-stream")) {
    const text = await readAll(reply);
    const whole = parseJson(text) as Chunk | null;
    if (whole === null) throw /^\s*([{[]|$)/.test(text) ? brokenOff(reply.host) : notAnApi(reply.host);
    if (!whole.error && !Array.isArray(whole.choices)) throw notAnApi(reply.host);
    take(whole);
    return answer;
  }

  let isDone = false;
  const parser = createParser({
    onEvent({ data }) {
      if (data === "[DONE]") isDone = true;
      else if (!isDone) {
        const chunk = parseJson(data) as Chunk | null;
        if (chunk === null) throw brokenOff(reply.host);
        take(chunk);
      }
    },
  });
  for await (const piece of reply.pieces) {
    parser.feed(piece);
    if (isDone) break;
    if (answer.text.length + answer.reasoning.length > LONGEST) return { ...answer, finish: "length" };
  }
  if (!isDone && answer.finish === null) throw brokenOff(reply.host);
  return answer;
}
