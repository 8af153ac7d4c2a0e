import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** How the endpoint treats one call. */
export type Behaviour =
  | { kind: "answer" }
  /** Takes the call and never says anything. */
  | { kind: "silence" }
  /** Streams the first pieces, then nothing more. */
  | { kind: "stall" }
  /** Streams the first pieces, and the others once a promise has been kept. */
  | { kind: "hold"; until: Promise<unknown> }
  /** Streams the first pieces, then cuts the connection. */
  | { kind: "cut" }
  /** Half a JSON document, as an answer in one piece. */
  | { kind: "half_json" }
  /** The whole answer in one piece, by a server that doesn't stream. */
  | { kind: "whole" }
  | { kind: "html" }
  /** Anything at all, with status 200. */
  | { kind: "raw"; type: string; body: string }
  | { kind: "redirect"; to: string }
  | { kind: "status"; status: number; message: string; retry_after?: string };

/** One call to `/v1/chat/completions`. */
export type ChatCall = {
  model: string;
  /** All texts of the messages, in order, with a line break between. */
  text: string;
  /** Pictures, decoded; each is held to be a JPEG. */
  images: Buffer[];
  temperature: number | null;
  max_tokens: number | null;
  authorization: string | null;
};

/** What the model says: a text, or reasoning apart from it. */
export type Reply = string | { reasoning: string; text: string };

/** A small OpenAI-compatible endpoint on a free port of this machine, which misbehaves on demand. */
export type OpenAiServer = {
  /** `http://127.0.0.1:PORT/v1`. */
  base_url: string;
  /** Every call that came, in order, refused ones included. */
  calls: ChatCall[];
  /** Most calls that were open at the same time. */
  readonly most_at_once: number;
  /** The next calls are treated so, one each; later ones are answered. */
  queue(...behaviours: Behaviour[]): void;
  /** All calls from now on are treated so, once the queue is empty. */
  always(behaviour: Behaviour): void;
  close(): Promise<void>;
};

const TEXT = "text/event-stream; charset=utf-8";

/** What a vision model says of a first view, of a pair of pictures, and of a question without pictures. */
function replyAsModel({ images, text }: ChatCall): Reply {
  if (images.length === 1) return "A grey street with a red kiosk on the left and a tall tree ahead.";
  if (images.length > 1) {
    return "1. Move forward\n2. A blue bench comes into view on the right.\n3. The kiosk is now to the left.";
  }
  const letter = /^([A-H])\. /m.exec(text)?.[1] ?? "A";
  return `<think>In Frame 1 I moved forward, so the kiosk is behind me.</think><answer>${letter}</answer>`;
}

export async function startOpenAiServer({
  models = ["eyes-7b"],
  key = null,
  latency_ms = 0,
  piece_ms = 0,
  reply = replyAsModel,
}: {
  /** Others are answered with 404, as vLLM does. */
  models?: string[];
  /** Calls must carry it; null takes all. */
  key?: string | null;
  /** Before the first piece of an answer. */
  latency_ms?: number;
  /** Between two pieces. */
  piece_ms?: number;
  reply?: (call: ChatCall) => Reply;
} = {}): Promise<OpenAiServer> {
  const calls: ChatCall[] = [];
  const queued: Behaviour[] = [];
  let usual: Behaviour = { kind: "answer" };
  let open = 0;
  let most_at_once = 0;
  const closing = new AbortController();
  setMaxListeners(0, closing.signal);

  const say = (response: ServerResponse, status: number, message: string, headers = {}) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ error: { message, type: "error", code: status } }));
  };

  const chat = async (request: IncomingMessage, response: ServerResponse) => {
    const call = readCall(await readBody(request), request.headers.authorization ?? null);
    calls.push(call);
    const behaviour = queued.shift() ?? usual;
    if (behaviour.kind === "silence") return;
    await sleep(latency_ms, undefined, { signal: closing.signal });
    if (behaviour.kind === "status") {
      const { status, message, retry_after } = behaviour;
      return say(response, status, message, retry_after === undefined ? {} : { "retry-after": retry_after });
    }
    if (behaviour.kind === "redirect") {
      response.writeHead(307, { location: behaviour.to });
      return response.end();
    }
    if (behaviour.kind === "raw") {
      response.writeHead(200, { "content-type": behaviour.type });
      return response.end(behaviour.body);
    }
    if (behaviour.kind === "html") {
      response.writeHead(200, { "content-type": "text/html" });
      return response.end("<!doctype html><title>A router</title><p>Please log in.</p>");
    }
    if (!models.includes(call.model))
      return say(response, 404, `The model \`${call.model}\` does not exist.`);
    const said = reply(call);
    const { reasoning, text } = typeof said === "string" ? { reasoning: "", text: said } : said;
    const usage = {
      prompt_tokens: Math.ceil(call.text.length / 4) + 300 * call.images.length,
      completion_tokens: Math.ceil((reasoning.length + text.length) / 4),
    };
    if (behaviour.kind === "whole" || behaviour.kind === "half_json") {
      const message = { role: "assistant", content: text, reasoning_content: reasoning || null };
      const body = JSON.stringify({ choices: [{ message, finish_reason: "stop" }], usage });
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(behaviour.kind === "whole" ? body : body.slice(0, body.length / 2));
    }
    response.writeHead(200, { "content-type": TEXT });
    const send = (value: unknown) => response.write(`data: ${JSON.stringify(value)}\n\n`);
    const pieces = [
      ...cut(reasoning).map((piece) => ({ reasoning_content: piece })),
      ...cut(text).map((piece) => ({ content: piece })),
    ];
    for (const [index, delta] of pieces.entries()) {
      if (response.destroyed) return;
      if (index === 2 && behaviour.kind === "stall") return;
      if (index === 2 && behaviour.kind === "hold") await behaviour.until;
      if (index === 2 && behaviour.kind === "cut") {
        // What was written must have left before the connection goes.
        await sleep(50, undefined, { signal: closing.signal });
        return response.destroy();
      }
      send({ choices: [{ index: 0, delta, finish_reason: null }] });
      if (piece_ms > 0) await sleep(piece_ms, undefined, { signal: closing.signal });
    }
    send({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
    send({ choices: [], usage });
    response.end("data: [DONE]\n\n");
  };

  const server = createServer((request, response) => {
    const fail = (error: unknown) => {
      if (closing.signal.aborted || response.destroyed) return;
      say(response, 400, error instanceof Error ? error.message : String(error));
    };
    if (key !== null && request.headers.authorization !== `Bearer ${key}`) {
      return say(response, 401, `Incorrect API key provided: ${request.headers.authorization ?? "none"}`);
    }
    if (request.method === "GET" && request.url === "/v1/models") {
      if (usual.kind === "html") {
        response.writeHead(200, { "content-type": "text/html" });
        return response.end("<!doctype html><title>A router</title>");
      }
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify({ object: "list", data: models.map((id) => ({ id })) }));
    }
    if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
      return say(response, 404, "Not Found");
    }
    open += 1;
    most_at_once = Math.max(most_at_once, open);
    response.once("close", () => {
      open -= 1;
    });
    chat(request, response).catch(fail);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    get most_at_once() {
      return most_at_once;
    },
    queue: (...behaviours) => void queued.push(...behaviours),
    always(behaviour) {
      usual = behaviour;
    },
    close() {
      closing.abort();
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** Pieces of a few characters, as tokens are. */
function cut(text: string): string[] {
  return text.match(/[\s\S]{1,5}/g) ?? [];
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
}

type Part = { type: string; text?: string; image_url?: { url: string } };

function readCall(body: unknown, authorization: string | null): ChatCall {
  const { model, messages, temperature, max_tokens } = body as {
    model: string;
    messages: { content: string | Part[] }[];
    temperature?: number;
    max_tokens?: number;
  };
  const parts = messages.flatMap(({ content }) =>
    typeof content === "string" ? [{ type: "text", text: content } as Part] : content,
  );
  const images = parts.flatMap(({ image_url }) => (image_url ? [readImage(image_url.url)] : []));
  return {
    model,
    text: parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n"),
    images,
    temperature: temperature ?? null,
    max_tokens: max_tokens ?? null,
    authorization,
  };
}

function readImage(url: string): Buffer {
  const match = /^data:image\/jpeg;base64,(.+)$/.exec(url);
  const image = Buffer.from(match?.[1] ?? "", "base64");
  const isJpeg = image[0] === 0xff && image[1] === 0xd8 && image.at(-2) === 0xff && image.at(-1) === 0xd9;
  if (!isJpeg) throw new Error("The picture is not a JPEG.");
  return image;
}
