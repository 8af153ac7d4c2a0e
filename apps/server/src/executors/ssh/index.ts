import type { HostContact } from "@sightline/core/hosts";
import type { Elsewhere } from "../executor.ts";
import { createSlctlExecutor, type SlctlExecutor } from "../slctl/index.ts";
import { contactHost, trustKey } from "./contact.ts";
import { makeSshFolder, type SshFolder } from "./folder.ts";
import { createSshLink, type SshTarget } from "./link.ts";

export { SshError } from "./problem.ts";

/** The system's ssh: the user's own config, agent, keys and jump hosts count; no prompt is ever shown. */
export type Ssh = {
  contact(target: SshTarget, signal: AbortSignal): Promise<HostContact>;
  /**
   * Trusts the key of this fingerprint if the host still shows it.
   *
   * @returns What was found; `state` is known only where the key was taken.
   */
  confirm(
    target: SshTarget,
    fingerprint: string,
    is_replacement: boolean,
    signal: AbortSignal,
  ): Promise<HostContact>;
  /** @param root  Folder of the run directories on the host: absolute, or `~/…`. */
  executor(target: SshTarget & { root: string; elsewhere?: Elsewhere | undefined }): SshExecutor;
  /** After all executors are closed. */
  close(): void;
};

/** An SSH host. `socket` is the master's, by which tests cut the link. */
export type SshExecutor = SlctlExecutor & { readonly socket: string | null };

/** @param parts.user_config  Read in place of `~/.ssh/config`. */
export function createSsh(parts: { dataDir: string; user_config: string | null }): Ssh {
  let made: SshFolder | null = null;
  const folder = () => {
    made ??= makeSshFolder(parts);
    return made;
  };
  return {
    async contact(target, signal) {
      const { lines: _, ...contact } = await contactHost(folder(), target, signal);
      return contact;
    },

    async confirm(target, fingerprint, is_replacement, signal) {
      const { lines, ...contact } = await contactHost(folder(), target, signal);
      const line = lines.find((key) => key.fingerprint === fingerprint);
      if (contact.state === "unreachable" || contact.state === "known") return contact;
      if (!line || (contact.state === "changed" && !is_replacement)) return contact;
      trustKey(folder(), line);
      return { ...contact, state: "known", known_keys: [], problem: null };
    },

    executor({ root, elsewhere, ...target }) {
      const link = createSshLink(folder(), target);
      const executor = createSlctlExecutor({
        kind: "ssh",
        root,
        python: null,
        open: () => link.open(),
        elsewhere,
        retry_ms: { first: 500, last: 30_000, refused: 60_000 },
      });
      return {
        ...executor,
        socket: link.socket,
        async close() {
          link.close();
          await executor.close();
        },
      };
    },

    close() {
      made?.remove();
      made = null;
    },
  };
}
