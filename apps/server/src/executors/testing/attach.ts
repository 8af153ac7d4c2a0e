import type { Client } from "../../features/runs/testing/client.ts";
import type { Sshd } from "./sshd.ts";

/** Attaches an sshd to a server as a person does: first contact, the key confirmed, a name. Gives the host's id. */
export async function attachSshd(client: Client, sshd: Sshd, root: string): Promise<string> {
  const place = { address: sshd.address, port: sshd.port };
  const { host_keys } = await client.hosts.contact.mutate(place);
  await client.hosts.confirm.mutate({ ...place, fingerprint: host_keys[0]?.fingerprint ?? "" });
  const { host_id } = await client.hosts.attach.mutate({ ...place, name: "test host", root });
  return host_id;
}
