import { join } from "node:path";
import type { Client } from "../../features/runs/testing/client.ts";
import { makeDataDir, serveHere } from "../../features/runs/testing/servers.ts";
import { type Sshd, type SshdSettings, startSshd } from "./sshd.ts";

/** Attaches an sshd to a server as a person does: first contact, the key confirmed, a name. Gives the host's id. */
export async function attachSshd(client: Client, sshd: Sshd, root: string): Promise<string> {
  const place = { address: sshd.address, port: sshd.port };
  const { host_keys } = await client.hosts.contact.mutate(place);
  await client.hosts.confirm.mutate({ ...place, fingerprint: host_keys[0]?.fingerprint ?? "" });
  const { host_id } = await client.hosts.attach.mutate({ ...place, name: "test host", root });
  return host_id;
}

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
