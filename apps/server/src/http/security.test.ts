import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadInstallToken } from "../data-folder/token.ts";
import { startTestServer, type TestServer } from "../testing.ts";
import { BODY_LIMIT } from "./security.ts";
import { createTicket } from "./session.ts";

const GB = 1e9;

let server: TestServer;
let listed: string;

beforeAll(async () => {
  listed = mkdtempSync(join(tmpdir(), "sightline-listed-"));
  mkdirSync(join(listed, "inside"));
  writeFileSync(join(listed, "secret.mp4"), "outside of the listed folder");
  symlinkSync(join(listed, "secret.mp4"), join(listed, "inside", "link.mp4"));
  server = await startTestServer({
    folders: [join(listed, "inside")],
    hubAddress: "http://hub.example/mirror",
    quota: { file_bytes: 4 * GB, total_bytes: 20 * GB },
  });
});
afterAll(async () => {
  await server.close();
  rmSync(listed, { recursive: true });
});

type Answer = { status: number; headers: IncomingHttpHeaders; body: string };
type Asked = { method?: string; path?: string; headers?: Record<string, string | undefined>; body?: string };

/** Asks as raw HTTP, since fetch forbids just those headers and paths that matter here. Logged in unless told otherwise. */
function ask({ method = "GET", path = "/trpc/health", headers = {}, body }: Asked = {}): Promise<Answer> {
  const { hostname, port } = new URL(server.url);
  const sent = Object.entries({ cookie: server.headers.cookie, ...headers }).filter(
    ([, value]) => value !== undefined,
  );
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      hostname,
      port,
      method,
      path,
      headers: Object.fromEntries(sent),
      agent: false,
    });
    request.once("error", reject);
    request.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8");
      const done = () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      response.on("data", (chunk: string) => {
        text += chunk;
        // A stream that is let in never ends by itself.
        if (response.headers["content-type"]?.startsWith("text/event-stream")) {
          done();
          request.destroy();
        }
      });
      response.once("end", done);
    });
    request.end(body);
  });
}

const json = { "content-type": "application/json" };
const port = () => new URL(server.url).port;

/** One address of each kind: query, change, stream, bytes, upload, page, and one that isn't there. */
const ADDRESSES: [kind: string, asked: () => Asked][] = [
  ["a query", () => ({ path: "/trpc/health" })],
  [
    "a change",
    () => ({ path: "/trpc/clips.undo", method: "POST", headers: { ...json, origin: server.url } }),
  ],
  ["a stream", () => ({ path: "/trpc/jobs.follow", headers: { accept: "text/event-stream" } })],
  ["a clip's bytes", () => ({ path: "/media/clips/x/original" })],
  [
    "an upload",
    () => ({ path: "/uploads", method: "POST", headers: { "tus-resumable": "1.0.0", origin: server.url } }),
  ],
  ["the page", () => ({ path: "/", headers: { accept: "text/html" } })],
  ["the way in", () => ({ path: `/enter?token=${loadInstallToken(server.app.dataDir)}` })],
  ["nothing", () => ({ path: "/nothing-here" })],
];

function askAs(asked: Asked, headers: Asked["headers"]): Promise<Answer> {
  return ask({ ...asked, headers: { ...asked.headers, ...headers } });
}

describe.each(ADDRESSES)("%s", (kind, asked) => {
  test("is let through from the server's own page", async () => {
    const { status } = await askAs(asked(), { origin: server.url, "sec-fetch-site": "same-origin" });
    expect([401, 403, 415]).not.toContain(status);
  });

  test.each([
    ["a rebinding name", () => `evil.example:${port()}`],
    ["a name that ends like ours", () => `localhost.evil.example:${port()}`],
    ["an address of the network", () => `192.168.1.20:${port()}`],
    ["another port", () => "127.0.0.1:1"],
    ["no port", () => "127.0.0.1"],
    ["credentials before the name", () => `127.0.0.1@evil.example:${port()}`],
  ])("is refused under %s as Host", async (_case, host) => {
    expect((await askAs(asked(), { host: host() })).status).toBe(403);
  });

  test.each([
    ["a foreign Origin", () => "https://evil.example"],
    ["Origin: null", () => "null"],
    ["another port of this machine", () => "http://127.0.0.1:1"],
    ["our address by https", () => server.url.replace("http:", "https:")],
    ["an Origin that starts like ours", () => `${server.url}.evil.example`],
  ])("is refused with %s", async (_case, origin) => {
    const { status, headers } = await askAs(asked(), { origin: origin() });
    expect(status).toBe(403);
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });

  test.each(["cross-site", "same-site"])("is refused with Sec-Fetch-Site: %s", async (site) => {
    expect((await askAs(asked(), { "sec-fetch-site": site })).status).toBe(403);
  });

  test.each([
    ["no cookie", undefined],
    ["a wrong cookie", "sightline_00000000=wrong"],
    ["our cookie's name with a wrong value", () => `${server.headers.cookie.split("=")[0]}=wrong`],
    ["an empty value", () => `${server.headers.cookie.split("=")[0]}=`],
  ])("is refused with %s", async (_case, cookie) => {
    const { status } = await askAs(asked(), { cookie: typeof cookie === "function" ? cookie() : cookie });
    expect(status).toBe(kind === "the way in" ? 303 : 401);
  });

  test("carries the headers that isolate the page", async () => {
    const { headers } = await ask(asked());
    expect(headers).toMatchObject({
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-embedder-policy": "require-corp",
      "cross-origin-resource-policy": "same-origin",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "content-security-policy": expect.stringMatching(/default-src 'self'.*frame-ancestors 'none'/),
    });
  });
});

describe("what may be connected to", () => {
  const connectOf = async (path: string) => {
    const policy = String(
      (await ask({ path, headers: { accept: "text/html" } })).headers["content-security-policy"],
    );
    return /connect-src ([^;]*)/.exec(policy)?.[1];
  };
  const ASSETS = join(import.meta.dirname, "../../../web/dist/assets");
  const assets = existsSync(ASSETS) ? readdirSync(ASSETS).filter((name) => name.endsWith(".js")) : [];

  test.each(["/", "/settings", "/trpc/health"])("%s connects to this server only", async (path) => {
    expect(await connectOf(path)).toBe("'self' blob: data:");
  });

  test("of all scripts, only the policies' worker may reach the hub", async () => {
    expect(assets, "the web is not built: node scripts/lib/build-web.mjs").not.toEqual([]);
    const open: string[] = [];
    for (const name of assets) {
      const connect = await connectOf(`/assets/${name}`);
      if (connect === "'self' blob: data:") continue;
      expect(connect).toBe("'self' blob: data: http://hub.example");
      open.push(name);
    }
    expect(open).toEqual([expect.stringMatching(/^policy-worker-[\w-]+\.js$/)]);
  });
});

describe("the way in", () => {
  test.each(["localhost", "127.0.0.1"])("answers at %s", async (name) => {
    expect((await ask({ headers: { host: `${name}:${port()}` } })).status).toBe(200);
  });

  test("the printed token is exchanged for a cookie that scripts and other sites don't get", async () => {
    const token = loadInstallToken(server.app.dataDir);
    const { status, headers } = await ask({ path: `/enter?token=${token}`, headers: { cookie: undefined } });
    expect([status, headers.location]).toEqual([303, "/"]);
    const cookie = headers["set-cookie"]?.[0] ?? "";
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Strict/);
    expect(cookie).not.toContain(token);
    expect((await ask({ headers: { cookie: cookie.split(";")[0] } })).status).toBe(200);
  });

  test.each([
    "",
    "?token=",
    "?token=wrong",
    "?token=a&token=b",
    "?ticket=1.x",
    "?ticket=99999999999.",
    "?token[]=x",
  ])("/enter%s lets nobody in", async (query) => {
    const { status, headers } = await ask({ path: `/enter${query}`, headers: { cookie: undefined } });
    expect([status, headers["set-cookie"]]).toEqual([403, undefined]);
  });

  test("a ticket lets in for two minutes", async () => {
    const token = loadInstallToken(server.app.dataDir);
    const enter = async (made_secs: number) => {
      const ticket = createTicket(token, made_secs);
      return (await ask({ path: `/enter?ticket=${ticket}`, headers: { cookie: undefined } })).status;
    };
    expect(await enter(Date.now() / 1000)).toBe(303);
    expect(await enter(Date.now() / 1000 - 180)).toBe(403);
  });

  test("someone who isn't in gets a page that says how", async () => {
    const { status, body } = await ask({
      path: "/runs",
      headers: { cookie: undefined, accept: "text/html" },
    });
    expect(status).toBe(401);
    expect(body).toContain("Open the address that <code>npm start</code> printed");
  });
});

describe("changes", () => {
  const change = (headers: Asked["headers"], body = "{}") =>
    ask({ path: "/trpc/clips.undo", method: "POST", headers, body });

  test("go through from our page", async () => {
    expect((await change({ ...json, origin: server.url })).status).toBe(200);
    expect((await change({ ...json, "sec-fetch-site": "same-origin" })).status).toBe(200);
  });

  test("without an Origin are refused", async () => {
    expect((await change(json)).status).toBe(403);
    expect((await change({ ...json, "sec-fetch-site": "none" })).status).toBe(403);
  });

  test.each([
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/plain",
    "text/plain; application/json",
  ])("sent as a form can send them (%s) are refused, from any site", async (type) => {
    expect((await change({ "content-type": type, origin: server.url })).status).toBe(415);
    expect((await change({ "content-type": type, origin: "https://evil.example" })).status).toBe(403);
  });

  test("without a type are refused when they have a body", async () => {
    expect((await change({ origin: server.url })).status).toBe(415);
    expect((await change({ origin: server.url, "transfer-encoding": "chunked" })).status).toBe(415);
  });

  test.each(["PUT", "PATCH", "DELETE"])("by %s are changes too", async (method) => {
    expect((await ask({ path: "/uploads/x", method })).status).toBe(403);
  });

  test("are not made by GET, and a method can't be smuggled", async () => {
    const before = await ask({ path: "/trpc/clips.list?input=%7B%7D" });
    expect((await ask({ path: "/trpc/clips.undo" })).status).toBe(405);
    expect((await ask({ path: "/trpc/clips.undo?batch=1&input=%7B%7D" })).status).toBe(405);
    const smuggled = { "x-http-method-override": "POST", ...json, origin: server.url };
    expect((await ask({ path: "/trpc/clips.undo?_method=POST", headers: smuggled })).status).toBe(405);
    expect((await ask({ path: "/trpc/clips.list?input=%7B%7D" })).body).toBe(before.body);
  });

  test("a question file as long as its procedure takes comes through", async () => {
    const base64 = Buffer.alloc(5_990_000, "{}\n").toString("base64");
    const body = JSON.stringify({ base64 });
    const answer = await ask({
      path: "/trpc/training.checkFile",
      method: "POST",
      headers: { ...json, origin: server.url },
      body,
    });
    expect([answer.status, JSON.parse(answer.body).result.data.question_file]).toEqual([200, null]);
  });

  test("a body beyond the limit is refused", async () => {
    const answer = await change({ ...json, origin: server.url }, JSON.stringify("x".repeat(BODY_LIMIT)));
    expect(answer.status).toBe(413);
  });
});

describe("uploads", () => {
  const announce = (bytes: number | undefined) =>
    ask({
      path: "/uploads",
      method: "POST",
      headers: {
        origin: server.url,
        "tus-resumable": "1.0.0",
        "content-length": "0",
        ...(bytes === undefined ? { "upload-defer-length": "1" } : { "upload-length": String(bytes) }),
      },
    });

  test("one of 10 GB is refused when it is announced, before a byte of it is sent", async () => {
    expect((await announce(10 * GB)).status).toBe(413);
  });

  test("many that fit one by one are refused when they don't fit together", async () => {
    const announced = [3.9, 3.9, 3.9, 3.9, 3.9, 3.9].map((size) => size * GB);
    const statuses: number[] = [];
    for (const bytes of announced) statuses.push((await announce(bytes)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 413]);
  });

  test("one without a length is refused", async () => {
    expect([400, 411]).toContain((await announce(undefined)).status);
  });

  test("more bytes than announced are refused", async () => {
    const { headers } = await ask({
      path: "/uploads",
      method: "POST",
      headers: { origin: server.url, "tus-resumable": "1.0.0", "content-length": "0", "upload-length": "4" },
    });
    const answer = await ask({
      path: headers.location,
      method: "PATCH",
      headers: {
        origin: server.url,
        "tus-resumable": "1.0.0",
        "upload-offset": "0",
        "content-type": "application/offset+octet-stream",
      },
      body: "more than four",
    });
    expect([400, 413]).toContain(answer.status);
  });

  test.each(["/uploads/../token", "/uploads/..%2ftoken", "/uploads/%2e%2e%2ftoken"])(
    "%s leads nowhere",
    async (path) => {
      const token = loadInstallToken(server.app.dataDir);
      for (const method of ["GET", "HEAD", "DELETE"]) {
        const { status, body } = await ask({
          path,
          method,
          headers: { origin: server.url, "tus-resumable": "1.0.0" },
        });
        expect(status).toBeGreaterThanOrEqual(400);
        expect(body).not.toContain(token);
      }
      expect(loadInstallToken(server.app.dataDir)).toBe(token);
    },
  );
});

describe("words", () => {
  const write = (path: string, input: unknown) =>
    ask({
      method: "POST",
      path,
      headers: { "content-type": "application/json", origin: server.url },
      body: JSON.stringify(input),
    });
  const tell = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    return { status, message: (JSON.parse(body) as { error: { message: string } }).error.message };
  };
  const question = { clip_id: "0".repeat(64), options: ["a", "b"], gold: null, task: "t" };

  test("what is too long says so, and how long it may be", async () => {
    expect(await tell(write("/trpc/questions.write", { ...question, text: "x".repeat(8001) }))).toEqual({
      status: 400,
      message: "“text” is too long: 8000 characters at most.",
    });
    expect(await tell(write("/trpc/questions.write", { ...question, text: "x".repeat(BODY_LIMIT) }))).toEqual(
      {
        status: 413,
        message: "This is more than the 8 MB that can be sent at once. Shorten it, or send it in parts.",
      },
    );
  });

  test("half a JSON is refused in the shape that pages read", async () => {
    const half = ask({
      method: "POST",
      path: "/trpc/questions.write",
      headers: { "content-type": "application/json", origin: server.url },
      body: '{"text":',
    });
    expect((await tell(half)).status).toBe(400);
  });
});

describe("paths", () => {
  test.each([
    "/../../package.json",
    "/..%2f..%2fpackage.json",
    "/%2e%2e/%2e%2e/package.json",
    "/assets/..%2f..%2f..%2fpackage.json",
    "/media/clips/..%2f..%2ftoken/original",
    "/media/clips/%2e%2e/original",
    "/media/clips/x%00/original",
    "/%00",
    "//etc/passwd",
  ])("%s leads nowhere", async (path) => {
    const { status, body } = await ask({ path });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body).not.toMatch(/"private": true|root:x/);
  });

  test("a listed folder shows neither what is above it nor what a link in it leads to", async () => {
    const query = async (name: string, input: unknown) => {
      const answer = await ask({ path: `/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}` });
      return JSON.parse(answer.body) as {
        result: { data: { folder_id: string }[] };
        error?: { data: { code: string } };
      };
    };
    const [folder] = (await query("clips.folders", undefined)).result.data;
    const folder_id = folder?.folder_id;
    expect((await query("clips.browse", { folder_id, path: "" })).result.data).toEqual([]);
    for (const path of ["..", "../secret.mp4", "link.mp4", "/etc", "x\0"]) {
      expect((await query("clips.browse", { folder_id, path })).error?.data.code).toBe("FORBIDDEN");
    }
  });
});
