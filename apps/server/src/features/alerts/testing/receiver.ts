import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** What a receiver got. */
export type Received = { headers: IncomingHttpHeaders; body: string; path: string };

export type Receiver = {
  /** With a part behind the port that nobody may read. */
  url: string;
  port: number;
  received: Received[];
  /** How the next calls are answered, one after the other; then 200. `silent`: not at all. */
  answer: (number | "silent" | { redirect: string })[];
  close(): Promise<void>;
};

export const SECRET = "T0PS3CRET-part";

/** A real HTTP receiver on loopback. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const answer: Receiver["answer"] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      received.push({ headers: request.headers, body, path: request.url ?? "" });
      const next = answer.shift() ?? 200;
      if (next === "silent") return;
      if (typeof next === "object") response.writeHead(307, { location: next.redirect }).end();
      else response.writeHead(next).end("so it is");
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const at = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${at}/services/${SECRET}`,
    port: at,
    received,
    answer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
