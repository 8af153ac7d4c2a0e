import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { type App, createApp } from "./app.ts";
import { loadInstallToken } from "./data-folder/token.ts";
import { createServer } from "./http/server.ts";
import { createSession } from "./http/session.ts";

/** A real server on a free port with a temporary data folder, in this process. */
export type TestServer = {
  app: App;
  /** `http://127.0.0.1:PORT`, without a slash. */
  url: string;
  /** What a logged-in page of this server sends: cookie and Origin. */
  headers: { cookie: string; origin: string };
  close(): Promise<void>;
};

export async function startTestServer(
  options: Omit<Parameters<typeof createApp>[0], "dataDir"> = {},
): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), "sightline-server-"));
  const app = await createApp({ log: pino({ level: "silent" }), ...options, dataDir });
  const server = await createServer(app);
  await server.listen({ host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const { cookie_name, cookie_value } = createSession(loadInstallToken(dataDir));
  return {
    app,
    url,
    headers: { cookie: `${cookie_name}=${cookie_value}`, origin: url },
    async close() {
      await server.close();
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
