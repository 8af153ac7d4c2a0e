import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** Longest path of a socket that every system takes, less what ssh adds while it makes one. */
const SOCKET_PATH_BYTES = 104 - 18;

/** What ssh needs on this machine: a config of ours that includes the user's, known hosts, and a folder for sockets. */
export type SshFolder = {
  /** For `ssh -F`. */
  config: string;
  /** Keys that were confirmed here; ssh reads the user's own beside it. */
  known_hosts: string;
  /** Path for the next control socket, or null where it would be too long for one. */
  nextSocket(): string | null;
  /** Path for a short-lived file. */
  draft(name: string): string;
  remove(): void;
};

/**
 * Makes the folder. It is private and short-lived: only `known_hosts` stays, in the data folder.
 *
 * @param parts.user_config  Read in place of `~/.ssh/config`.
 */
export function makeSshFolder(parts: { dataDir: string; user_config: string | null }): SshFolder {
  const lasting = join(parts.dataDir, "ssh");
  mkdirSync(lasting, { recursive: true, mode: 0o700 });
  const known = join(lasting, "known_hosts");
  if (!existsSync(known)) closeSync(openSync(known, "a", 0o600));

  // What a server that was killed left: a data folder has one server at a time.
  for (const name of readdirSync(lasting).filter((known) => known.startsWith("link-")))
    rmSync(join(lasting, name), { recursive: true, force: true });
  const folder = mkdtempSync(join(shortBase(lasting), "link-"));
  chmodSync(folder, 0o700);
  // Links, so that no odd character of another path has to be written in ssh's own quoting.
  symlinkSync(known, join(folder, "known_hosts"));
  if (parts.user_config !== null) symlinkSync(parts.user_config, join(folder, "user"));
  const config = join(folder, "config");
  writeFileSync(config, configText(folder, parts.user_config !== null), { mode: 0o600 });
  let sockets = 0;
  return {
    config,
    known_hosts: known,
    nextSocket() {
      sockets += 1;
      const path = join(folder, `s${sockets}`);
      return Buffer.byteLength(path) <= SOCKET_PATH_BYTES ? path : null;
    },
    draft(name) {
      sockets += 1;
      return join(folder, `${name}-${sockets}`);
    },
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

function shortBase(lasting: string): string {
  const candidates = [lasting, process.env.TMPDIR, process.env.XDG_RUNTIME_DIR, tmpdir()];
  return (
    candidates.find(
      (path) => path !== undefined && /^\/[A-Za-z0-9._/-]{0,60}$/.test(path) && existsSync(path),
    ) ?? "/tmp"
  );
}

/** ssh takes the first value that it meets, so ours stand before the user's; they count for jump hosts too. */
function configText(folder: string, has_user_config: boolean): string {
  return `Host *
  BatchMode yes
  StrictHostKeyChecking yes
  UserKnownHostsFile ${folder}/known_hosts ~/.ssh/known_hosts ~/.ssh/known_hosts2
  UpdateHostKeys no
  NumberOfPasswordPrompts 0
  ConnectTimeout 15
  ConnectionAttempts 1
  ServerAliveInterval 10
  ServerAliveCountMax 3
  TCPKeepAlive yes
  ForwardAgent no
  ForwardX11 no
  PermitLocalCommand no
  LogLevel INFO
  VisualHostKey no
Include ${has_user_config ? `${folder}/user` : "~/.ssh/config"}
Include /etc/ssh/ssh_config
`;
}

const KEPT =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_.*|TZ|TMPDIR|XDG_RUNTIME_DIR|SSH_AUTH_SOCK|SSH_AGENT_PID|SSH_SK_.*|KRB5CCNAME|KRB5_CONFIG|PKCS11_.*)$/;

/** What ssh may know of the server's environment: the way to the agent, and no key or token. */
export function sshEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => KEPT.test(name));
  return { HOME: homedir(), ...Object.fromEntries(kept), SSH_ASKPASS_REQUIRE: "never" };
}
