import { createReadStream, mkdtempSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A hub on this machine's loopback, which answers pages of other origins as the public one does. */
export type TestHub = {
  /** Without a slash at the end. */
  url: string;
  /** Its models: folders `owner/name`. */
  root: string;
  /** Files that were asked for, as `owner/name/file`. */
  asked: string[];
  /** Files whose reader went away before their end. */
  broken_off: string[];
  /** While true, weights stop coming after their first bytes. */
  is_held: boolean;
  close(): void;
};

const HELD_BYTES = 100_000;

export async function startHub(): Promise<TestHub> {
  const server = createServer((request, response) => {
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-expose-headers", "ETag, X-Error-Code");
    const refuse = (status: number, code: string) =>
      response.writeHead(status, { "x-error-code": code }).end();
    const [, id, file] = /^\/([\w-]+\/[\w-]+)\/resolve\/main\/([\w./-]+)$/.exec(request.url ?? "") ?? [];
    if (id === undefined || file === undefined) return refuse(404, "RepoNotFound");
    hub.asked.push(`${id}/${file}`);
    // The public hub tells nobody whether a model that is not open exists.
    if (!statSync(join(hub.root, id), { throwIfNoEntry: false })) return refuse(401, "RepoNotFound");
    const path = join(hub.root, id, file);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found?.isFile()) return refuse(404, "EntryNotFound");
    response.writeHead(200, { "content-length": found.size, etag: `"${found.size}"` });
    if (request.method === "HEAD") return response.end();
    const is_held = hub.is_held && file.endsWith(".onnx");
    response.once("close", () => {
      if (!response.writableFinished) hub.broken_off.push(`${id}/${file}`);
    });
    createReadStream(path, is_held ? { end: HELD_BYTES } : {}).pipe(response, { end: !is_held });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hub: TestHub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    root: mkdtempSync(join(tmpdir(), "sightline-hub-")),
    asked: [],
    broken_off: [],
    is_held: false,
    close() {
      server.closeAllConnections();
      server.close();
      rmSync(hub.root, { recursive: true, force: true });
    },
  };
  return hub;
}
