import { join } from "node:path";
import { makeDataDir, serveHere } from "../../features/runs/testing/servers.ts";
import { attachSshd } from "./attach.ts";
import { type SshdSettings, startSshd } from "./sshd.ts";

/** A server within this process, and an SSH host that it knows. */
export async function startSshServer(name: string, settings: SshdSettings = {}) {
  const sshd = await startSshd(name, settings);
  const { dataDir, remove } = makeDataDir(name);
  const root = join(sshd.home, "runs");
  const before = process.env.SIGHTLINE_SSH_CONFIG;
  process.env.SIGHTLINE_SSH_CONFIG = sshd.client_config;
  let server = await serveHere(dataDir);
  const host_id = await attachSshd(server.client, sshd, root);
  return {
    sshd,
    dataDir,
    root,
    host_id,
    get app() {
      return server.app;
    },
    get client() {
      return server.client;
    },
    /** Ends the server in good order and starts it again on the same folder. */
    async restart() {
      await server.close();
      server = await serveHere(dataDir);
    },
    async close() {
      await server.close();
      if (before === undefined) delete process.env.SIGHTLINE_SSH_CONFIG;
      else process.env.SIGHTLINE_SSH_CONFIG = before;
      await sshd.remove();
      await remove();
    },
  };
}
