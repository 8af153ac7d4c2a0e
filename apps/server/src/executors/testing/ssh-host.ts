import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSsh, type Ssh, type SshExecutor } from "../ssh/index.ts";
import { type Sshd, type SshdSettings, startSshd } from "./sshd.ts";

/** An SSH host whose key is trusted, and the way to it. */
export type TestHost = {
  sshd: Sshd;
  ssh: Ssh;
  executor: SshExecutor;
  dataDir: string;
  /** Run directories, on the host. */
  root: string;
  close(): Promise<void>;
};

/** Starts an sshd and an executor that knows it. `root` stands in the home there unless given. */
export async function startSshHost(
  name: string,
  settings: SshdSettings & { root?: string; trusted?: boolean } = {},
): Promise<TestHost> {
  const { root, trusted = true, ...rest } = settings;
  const sshd = await startSshd(name, rest);
  const dataDir = mkdtempSync(join(tmpdir(), `sightline-${name}-`));
  mkdirSync(join(dataDir, "ssh"), { recursive: true, mode: 0o700 });
  if (trusted) sshd.trustIn(join(dataDir, "ssh", "known_hosts"));
  const ssh = createSsh({ dataDir, user_config: sshd.client_config });
  const executor = ssh.executor({
    address: sshd.address,
    port: sshd.port,
    root: root ?? join(sshd.home, "runs"),
  });
  return {
    sshd,
    ssh,
    executor,
    dataDir,
    root: root ?? join(sshd.home, "runs"),
    async close() {
      await executor.close();
      ssh.close();
      await sshd.remove();
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
