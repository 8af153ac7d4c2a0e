import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import type { HostContact, HostKey } from "@sightline/core/hosts";
import { execa } from "execa";
import { type SshFolder, sshEnvironment } from "./folder.ts";
import { type SshTarget, sshArguments } from "./link.ts";
import { explainSsh, SshError } from "./problem.ts";

const CONTACT_SECS = 40;

/** A line of a known_hosts file: names, type and key as they stand there. */
type KeyLine = HostKey & { names: string; line: string };

/** Nobody is logged in: the host is asked for its key, and then for no way of authentication that there is. */
const WITHOUT_LOGIN = ["PreferredAuthentications=none", "ControlMaster=no", "ControlPath=none"];

type Asked = { stdout: string; stderr: string };

async function ask(file: string, args: string[], signal: AbortSignal): Promise<Asked> {
  const { stdout, stderr, code } = await execa(file, args, {
    reject: false,
    stdin: "ignore",
    cwd: "/",
    detached: true,
    extendEnv: false,
    env: sshEnvironment(process.env),
    timeout: CONTACT_SECS * 1000,
    killSignal: "SIGKILL",
    cancelSignal: signal,
  });
  if (code === "ENOENT")
    throw new SshError(
      "no_ssh",
      "There is no ssh on the machine where Sightline runs.",
      "Install OpenSSH's client (Debian: apt-get install openssh-client).",
    );
  return { stdout: stdout ?? "", stderr: stderr ?? "" };
}

/** What ssh makes of an address once it has read the user's config. */
async function resolveTarget(folder: SshFolder, target: SshTarget, signal: AbortSignal) {
  const [first = "", ...rest] = sshArguments(folder, target, []);
  const { stdout, stderr } = await ask("ssh", ["-G", first, ...rest], signal);
  const fields = new Map(
    stdout.split("\n").map((line): [string, string] => {
      const space = line.indexOf(" ");
      return [line.slice(0, space), line.slice(space + 1)];
    }),
  );
  const hostname = fields.get("hostname");
  if (hostname === undefined) throw explainSsh(stderr);
  const port = Number(fields.get("port") ?? 22);
  const via = fields.get("proxyjump") ?? (fields.has("proxycommand") ? "a command of your ssh config" : null);
  const alias = fields.get("hostkeyalias");
  return {
    target: { hostname, port, user: fields.get("user") ?? "", via: via === "none" ? null : via },
    /** The name under which known_hosts files hold its key. */
    known_as: alias ?? (port === 22 ? hostname : `[${hostname}]:${port}`),
  };
}

/** Asks the host for its key without believing it: ssh writes it into a file that nobody else reads. */
async function showKeys(folder: SshFolder, target: SshTarget, signal: AbortSignal): Promise<KeyLine[]> {
  const draft = folder.draft("shown");
  try {
    const options = [
      "StrictHostKeyChecking=accept-new",
      `UserKnownHostsFile=${draft}`,
      "GlobalKnownHostsFile=/dev/null",
      "HashKnownHosts=no",
      ...WITHOUT_LOGIN,
    ];
    const { stderr } = await ask("ssh", [...sshArguments(folder, target, options), "exit"], signal);
    const keys = existsSync(draft) ? readKeys(readFileSync(draft, "utf8")) : [];
    if (keys.length === 0) throw explainSsh(stderr);
    return keys;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readKeys(text: string): KeyLine[] {
  return text.split("\n").flatMap((line) => {
    const [names = "", type = "", key = ""] = line.split(" ");
    if (line.startsWith("#") || line.startsWith("@") || key === "") return [];
    const digest = createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
    return [{ names, type, fingerprint: `SHA256:${digest.replace(/=+$/, "")}`, line }];
  });
}

const toKey = ({ type, fingerprint }: HostKey): HostKey => ({ type, fingerprint });

/** Keys that are known under a name, here or to the user. */
async function listKnown(folder: SshFolder, name: string, signal: AbortSignal): Promise<HostKey[]> {
  const home = process.env.HOME;
  const files = [folder.known_hosts, ...(home === undefined ? [] : [`${home}/.ssh/known_hosts`])];
  const found = await Promise.all(
    files.filter(existsSync).map((file) => ask("ssh-keygen", ["-F", name, "-f", file], signal)),
  );
  return found.flatMap(({ stdout }) => readKeys(stdout)).map(toKey);
}

/** A first look: what an address leads to and by which key it shows itself. */
export async function contactHost(
  folder: SshFolder,
  target: SshTarget,
  signal: AbortSignal,
): Promise<HostContact & { lines: KeyLine[] }> {
  const nothing = { host_keys: [], known_keys: [], lines: [] };
  const resolved = await resolveTarget(folder, target, signal);
  let lines: KeyLine[];
  try {
    lines = await showKeys(folder, target, signal);
  } catch (error) {
    if (!(error instanceof SshError)) throw error;
    return { ...nothing, state: "unreachable", target: resolved.target, problem: error.message };
  }
  const { stderr } = await ask("ssh", [...sshArguments(folder, target, WITHOUT_LOGIN), "exit"], signal);
  const { kind, message } = explainSsh(stderr);
  const common = { target: resolved.target, host_keys: lines.map(toKey), lines };
  if (kind === "host_key_unknown") return { ...common, state: "new", known_keys: [], problem: null };
  if (kind === "host_key_changed") {
    const known = await listKnown(folder, resolved.known_as, signal);
    const shown = new Set(lines.map(({ fingerprint }) => fingerprint));
    const known_keys = known.filter(({ fingerprint }) => !shown.has(fingerprint));
    return { ...common, state: "changed", known_keys, problem: message };
  }
  return { ...common, state: "known", known_keys: [], problem: null };
}

/** Writes a key down as trusted, in place of any other that we had under the same name. */
export function trustKey(folder: SshFolder, { names, line }: KeyLine): void {
  const file = folder.known_hosts;
  const kept = readFileSync(file, "utf8")
    .split("\n")
    .filter((known) => known !== "" && known.split(" ")[0] !== names);
  const draft = `${file}.part`;
  const fd = openSync(draft, "w", 0o600);
  try {
    writeSync(fd, `${[...kept, line].join("\n")}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(draft, file);
}
