import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import type { Readable } from "node:stream";
import type { SlctlChannel } from "../slctl/link.ts";
import { BOOT_LINE, loadBundle, REMOTE_COMMAND } from "./boot.ts";
import { type SshFolder, sshEnvironment } from "./folder.ts";
import { explainSsh, SshError } from "./problem.ts";

const OPEN_SECS = 45;
const MAX_NOISE_BYTES = 1024 * 1024;
const MAX_WORDS = 8000;
/** How long ssh gets to say why it ends after its pipe has closed. */
const LAST_WORDS_MS = 1500;

/** Where a host is, as ssh takes it: checked by `readAddress` before. */
export type SshTarget = { address: string; port: number | null };

/** The way to one host. Connections share one master, which is the first of them and ends with the last. */
export type SshLink = {
  /** Starts slctl on the host and gives its pipes. @throws SshError */
  open(): Promise<SlctlChannel & { noise_bytes: number }>;
  /** The control socket, for tests that cut the link; null where none can be had. */
  readonly socket: string | null;
  close(): void;
};

/** Options of every call that are ours alone and no jump host's. */
export function sshArguments(folder: SshFolder, { address, port }: SshTarget, options: string[]): string[] {
  const all = [
    "ClearAllForwardings=yes",
    "RemoteCommand=none",
    "EscapeChar=none",
    "SessionType=default",
    ...options,
  ];
  return [
    "-F",
    folder.config,
    "-T",
    ...all.flatMap((option) => ["-o", option]),
    ...(port === null ? [] : ["-p", String(port)]),
    "--",
    address,
  ];
}

export function createSshLink(folder: SshFolder, target: SshTarget): SshLink {
  const socket = folder.nextSocket();
  const children = new Set<ChildProcess>();
  let closed = false;

  const end = (child: ChildProcess) => {
    children.delete(child);
    // The whole group: a jump host's ssh is a child of ours' child.
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        child.kill("SIGKILL");
      }
    }
  };

  return {
    socket,
    async open() {
      const bundle = await loadBundle();
      if (closed) throw new SshError("network", "The link to the host was closed.", "");
      // Left by a master that was killed.
      if (socket !== null && children.size === 0) rmSync(socket, { force: true });
      const sharing =
        socket === null
          ? ["ControlMaster=no", "ControlPath=none"]
          : ["ControlMaster=auto", `ControlPath=${socket}`, "ControlPersist=no"];
      const child = spawn("ssh", [...sshArguments(folder, target, sharing), REMOTE_COMMAND], {
        stdio: ["pipe", "pipe", "pipe"],
        env: sshEnvironment(process.env),
        cwd: "/",
        detached: true,
      });
      children.add(child);
      let words = "";
      let startProblem: Error | null = null;
      child.stderr.setEncoding("utf8");
      child.stderr.on("data", (text: string) => {
        words = (words + text).slice(-MAX_WORDS);
      });
      const gone = new Promise<void>((resolve) => {
        child.once("close", () => {
          children.delete(child);
          resolve();
        });
        child.once("error", (error) => {
          startProblem = error;
          children.delete(child);
          resolve();
        });
      });
      child.stdin.on("error", () => undefined);
      try {
        const nonce = randomBytes(16).toString("hex");
        const reader = readMarks(child.stdout, nonce);
        child.stdin.write(BOOT_LINE);
        const { name, sha256, bytes } = bundle;
        child.stdin.write(`${JSON.stringify({ nonce, name, sha256, bytes: bytes.length })}\n`);
        const timer = setTimeout(() => end(child), OPEN_SECS * 1000);
        try {
          let mark = await reader.next();
          if (mark?.word === "want") {
            child.stdin.write(bytes);
            mark = await reader.next();
          }
          if (mark?.word === "nowhere")
            throw new SshError(
              "no_place",
              `The host has no place for the supervisor (${mark.problems?.join("; ")}).`,
              "Free some space in the home folder there, or make it writable.",
            );
          if (mark?.word !== "here") throw null;
        } finally {
          clearTimeout(timer);
        }
        reader.release();
        return {
          input: child.stdin,
          output: child.stdout,
          noise_bytes: reader.noise_bytes,
          kill: () => end(child),
          lastWords: () => explainLast(words),
        };
      } catch (error) {
        if (error === null) await Promise.race([gone, pause(LAST_WORDS_MS)]);
        end(child);
        if (error instanceof SshError) throw error;
        if (startProblem !== null)
          throw new SshError(
            "no_ssh",
            "There is no ssh on the machine where Sightline runs.",
            "Install OpenSSH's client (Debian: apt-get install openssh-client).",
          );
        throw explainSsh(words);
      }
    },
    close() {
      closed = true;
      for (const child of children) end(child);
      if (socket !== null) rmSync(socket, { force: true });
    },
  };
}

/** What ssh said at the end of a connection that had stood; nothing where it was only the shell's noise. */
function explainLast(words: string): string {
  const line = words.trim().split("\n").at(-1) ?? "";
  return /Timeout, server|Connection (closed|reset)|Broken pipe|client_loop/.test(line) ? line.trim() : "";
}

type Mark = { word: "want" | "here" | "nowhere"; problems?: string[] };

/** Finds our marks in what comes from the host; everything before the first is the login shell's. */
function readMarks(output: Readable, nonce: string) {
  const begin = Buffer.from(`\n@slctl-boot ${nonce} `);
  let pending: Buffer = Buffer.alloc(0);
  let noise_bytes = 0;
  let hasMark = false;
  let ended = false;
  let wake: () => void = () => undefined;
  const onData = (data: Buffer) => {
    pending = Buffer.concat([pending, data]);
    wake();
  };
  const onEnd = () => {
    ended = true;
    wake();
  };
  output.on("data", onData);
  output.on("end", onEnd);
  output.on("close", onEnd);
  output.on("error", onEnd);

  /** The next mark; null when the output ended before one. @throws SshError */
  const next = async (): Promise<Mark | null> => {
    for (;;) {
      const at = pending.indexOf(begin);
      const newline = at < 0 ? -1 : pending.indexOf(10, at + begin.length);
      if (newline >= 0) {
        if (!hasMark) noise_bytes = at;
        hasMark = true;
        const text = pending.toString("utf8", at + begin.length, newline);
        pending = pending.subarray(newline + 1);
        return JSON.parse(text) as Mark;
      }
      const python = /\n@slctl-python( [\d ]+)?\r?\n/.exec(pending.subarray(-200).toString("latin1"));
      if (python !== null) throw noPython(python[1]?.trim().replaceAll(" ", ".") ?? null);
      if (pending.length > MAX_NOISE_BYTES)
        throw new SshError(
          "shell",
          "The login shell there talks without end.",
          "Let ~/.bashrc (or its like) return early where the shell is not interactive.",
        );
      if (ended) return null;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };

  return {
    next,
    get noise_bytes() {
      return noise_bytes;
    },
    /** Lets go of the output, with whatever follows the last mark still in it. */
    release() {
      output.off("data", onData);
      output.off("end", onEnd);
      output.off("close", onEnd);
      output.off("error", onEnd);
      output.pause();
      if (pending.length > 0) output.unshift(pending);
    },
  };
}

function noPython(version: string | null): SshError {
  const found = version === null ? "" : ` (python3 there is ${version})`;
  return new SshError(
    "no_python",
    `Python 3.10 or newer was not found on the host${found}.`,
    "Install python3 there; runs need nothing else, and training an environment that is prepared from here.",
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
