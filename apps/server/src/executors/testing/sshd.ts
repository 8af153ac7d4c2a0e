import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../testing/free-port.ts";

const PLACES = ["/usr/sbin/sshd", "/usr/local/sbin/sshd", "/usr/bin/sshd", "/opt/homebrew/sbin/sshd"];

/** OpenSSH's server, or null where this machine has none. */
export function findSshd(): string | null {
  return PLACES.find((path) => existsSync(path)) ?? null;
}

/** Why tests against a real sshd can't run here, to be said aloud; null where they can. */
export function whyNoSshd(): string | null {
  if (process.platform !== "linux") return "sshd tests need Linux: they look at /proc.";
  if (findSshd() === null) return "This machine has no sshd: apt-get install openssh-server.";
  return null;
}

/** True where this user may mount, in a namespace of its own. */
export function canMountHere(): boolean {
  return spawnSync("unshare", ["-m", "true"], { stdio: "ignore" }).status === 0;
}

/** Settings of a test's sshd that can change while it is down. */
export type SshdSettings = {
  /** Lines of sshd_config that come before all others, so that they count. */
  config?: string[];
  /** Environment of every session. HOME and TMPDIR are the test's own. */
  env?: Record<string, string>;
  /** Address to listen on; loopback unless a test has a network of its own. */
  address?: string;
  /** Name of a network namespace to run in. */
  netns?: string;
  /** A shell command that mounts something for this sshd and its sessions alone; HOME stands for the home. */
  mount?: string;
};

/** A real sshd on loopback with keys, a home and a client config of its own. */
export type Sshd = {
  /** Everything of it lies below. */
  folder: string;
  /** Home of whoever logs in. */
  home: string;
  /** For SIGHTLINE_SSH_CONFIG: knows the alias `testhost` and the key to log in with. */
  client_config: string;
  /** `user@127.0.0.1` */
  address: string;
  port: number;
  /** `SHA256:…` of the key that it shows. */
  fingerprint(): string;
  /** Writes a known_hosts line for its key. */
  trustIn(known_hosts: string): void;
  /** A new host key, shown from the next start on. */
  changeKey(): void;
  start(change?: SshdSettings): Promise<void>;
  /** Ends it and every session. What sessions have started and set free goes on. */
  stop(): Promise<void>;
  /** Of the process that listens. */
  pid(): number;
  /** Processes that serve one connection each. */
  sessions(): number[];
  /** What it has written to its log. */
  log(): string;
  /** Ends everything below the folder and removes it. */
  remove(): Promise<void>;
};

/** @param name  Part of the folder's name. */
export async function startSshd(name: string, settings: SshdSettings = {}): Promise<Sshd> {
  const binary = findSshd();
  if (binary === null) throw new Error(whyNoSshd() ?? "no sshd");
  const folder = mkdtempSync(join(tmpdir(), `sightline-sshd-${name}-`));
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  const key = join(folder, "host_key");
  const client = join(folder, "client_key");
  const config = join(folder, "sshd_config");
  const logFile = join(folder, "sshd.log");
  const client_config = join(folder, "ssh_config");
  makeKey(key);
  makeKey(client);
  const user = userInfo().username;
  const listen = settings.address ?? "127.0.0.1";
  const port = await freePort();
  writeFileSync(join(folder, "authorized_keys"), readFileSync(`${client}.pub`), { mode: 0o600 });
  writeFileSync(
    client_config,
    `Host testhost
  HostName ${listen}
  Port ${port}
  User ${user}
Host ${listen} testhost
  IdentityFile ${client}
  IdentitiesOnly yes
  IdentityAgent none
`,
  );
  // sshd drops its rights before a session, and refuses to start without this folder.
  if (process.getuid?.() === 0) mkdirSync("/run/sshd", { recursive: true, mode: 0o755 });
  let child: ChildProcess | null = null;
  let current = settings;

  const writeConfig = () => {
    const env = { HOME: home, TMPDIR: folder, ...current.env };
    const lines = [
      // Unlike the others, of this one the last counts.
      "MaxStartups 100",
      ...(current.config ?? []),
      `Port ${port}`,
      `ListenAddress ${listen}`,
      `HostKey ${key}`,
      `AuthorizedKeysFile ${folder}/authorized_keys`,
      "StrictModes no",
      "UsePAM no",
      "PidFile none",
      "PrintMotd no",
      "PasswordAuthentication no",
      "KbdInteractiveAuthentication no",
      "PermitRootLogin prohibit-password",
      `SetEnv ${Object.entries(env)
        .map(([variable, value]) => `"${variable}=${value}"`)
        .join(" ")}`,
    ];
    writeFileSync(config, `${lines.join("\n")}\n`);
  };

  const sessions = () => (child?.pid === undefined ? [] : childrenOf(child.pid));

  const stop = async () => {
    const going = child;
    if (going?.pid === undefined) return;
    // A session's process may have a child that runs for the user without rights.
    const all = sessions().flatMap((pid) => [...childrenOf(pid), pid]);
    going.kill("SIGKILL");
    for (const pid of all) if (commandOf(pid).includes("sshd")) endProcess(pid);
    if (going.exitCode === null && going.signalCode === null)
      await new Promise<void>((resolve) => going.once("exit", () => resolve()));
    child = null;
  };

  const sshd: Sshd = {
    folder,
    home,
    client_config,
    address: `${user}@${listen}`,
    port,
    fingerprint: () =>
      execFileSync("ssh-keygen", ["-l", "-f", `${key}.pub`], { encoding: "utf8" }).split(" ")[1] ?? "",
    trustIn(known_hosts) {
      const [type, text] = readFileSync(`${key}.pub`, "utf8").split(" ");
      writeFileSync(known_hosts, `[${listen}]:${port} ${type} ${text}\n`, { flag: "a", mode: 0o600 });
    },
    changeKey() {
      rmSync(key);
      rmSync(`${key}.pub`);
      makeKey(key);
    },
    async start(change = {}) {
      await stop();
      current = { ...current, ...change };
      writeConfig();
      const words = [binary, "-f", config, "-D", "-E", logFile];
      const mount = current.mount?.replaceAll("HOME", home);
      const [file = "", ...args] = [
        ...(current.netns === undefined ? [] : ["ip", "netns", "exec", current.netns]),
        ...(mount === undefined ? [] : ["unshare", "-m", "sh", "-c", `${mount} && exec "$@"`, "sh"]),
        ...words,
      ];
      child = spawn(file, args, {
        stdio: "ignore",
        env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR },
      });
      const going = child;
      for (let tries = 0; !(await answers(listen, port)); tries++) {
        if (going.exitCode !== null || tries > 1000)
          throw new Error(`sshd did not start: ${existsSync(logFile) ? readFileSync(logFile, "utf8") : ""}`);
        await sleep(25);
      }
    },
    stop,
    pid: () => child?.pid ?? 0,
    sessions,
    log: () => (existsSync(logFile) ? readFileSync(logFile, "utf8") : ""),
    async remove() {
      await stop();
      for (let tries = 0; tries < 500 && endBelow(folder) > 0; tries++) await sleep(40);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
  try {
    await sshd.start();
  } catch (error) {
    await sshd.remove();
    throw error;
  }
  return sshd;
}

function makeKey(file: string) {
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file]);
  chmodSync(file, 0o600);
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (is_there: boolean) => {
      socket.destroy();
      resolve(is_there);
    };
    socket.setTimeout(500, () => done(false));
    socket.once("data", () => done(true));
    socket.once("error", () => done(false));
  });
}

function allProcesses(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

/** Direct children of a process. */
export function childrenOf(parent: number): number[] {
  return allProcesses().filter((pid) => {
    try {
      const after = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ").at(-1) ?? "";
      return Number(after.split(" ")[1]) === parent;
    } catch {
      return false;
    }
  });
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

/** SIGKILL; one that is gone already is no error. */
export function endProcess(pid: number) {
  // 0 is the whole group of whoever asks.
  if (pid <= 0) throw new RangeError("There is no such process to end.");
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Ends every process whose environment or command line names the folder. Returns how many there were. */
function endBelow(folder: string): number {
  const left = allProcesses().filter((pid) => {
    if (pid === process.pid) return false;
    try {
      if (/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))) return false;
      return (readFileSync(`/proc/${pid}/environ`, "latin1") + commandOf(pid)).includes(folder);
    } catch {
      return false;
    }
  });
  for (const pid of left) endProcess(pid);
  return left.length;
}
