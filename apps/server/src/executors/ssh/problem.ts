import { UnreachableError } from "../executor.ts";

/**
 * Why a host could not be reached by ssh. `host_key_changed` and `host_key_unknown` are a stop until a person acts;
 * `auth` is tried again rarely; `network` soon; the others are mended on one of the two machines.
 */
export type SshProblemKind =
  | "host_key_changed"
  | "host_key_unknown"
  | "auth"
  | "network"
  | "sessions"
  | "config"
  | "no_ssh"
  | "no_python"
  | "no_place"
  | "shell";

/** Exit class of a refusal by key or by account. */
export const REFUSED_EXIT_CODE = 77;

/** ssh did not lead to an answer. It says nothing about the runs on the host. */
export class SshError extends UnreachableError {
  override name = "SshError";
  readonly kind: SshProblemKind;
  /** What to do now, in a sentence. */
  readonly mend: string;
  /** 77 where the host's key or the account was refused; null otherwise. */
  readonly exit_code: number | null;

  constructor(kind: SshProblemKind, says: string, mend: string) {
    super(`${says} ${mend}`);
    this.kind = kind;
    this.mend = mend;
    const isRefusal = kind === "host_key_changed" || kind === "host_key_unknown" || kind === "auth";
    this.exit_code = isRefusal ? REFUSED_EXIT_CODE : null;
  }

  /** True where trying again by ourselves would be wrong. */
  get is_stop(): boolean {
    return this.kind === "host_key_changed" || this.kind === "host_key_unknown";
  }
}

const CHECK_NETWORK = "Runs there go on. It is tried again by itself.";

type Rule = { pattern: RegExp; kind: SshProblemKind; says: string; mend: string };

const RULES: Rule[] = [
  {
    pattern: /REMOTE HOST IDENTIFICATION HAS CHANGED|[Hh]ost key for .* has changed|REVOKED HOST KEY/,
    kind: "host_key_changed",
    says: "The host shows another key than the one that is known. Somebody may stand in between, or the machine was set up anew.",
    mend: "Nothing was sent. Ask its owner for the new fingerprint; if it is the same, accept the new key here.",
  },
  {
    pattern: /No \S+ host key is known for|Host key verification failed/,
    kind: "host_key_unknown",
    says: "Nobody has confirmed this host's key yet.",
    mend: "Look at its fingerprint and confirm it; where a jump host is on the way, log in there once with ssh.",
  },
  {
    pattern: /Permission denied \(|Too many authentication failures|No supported authentication methods/,
    kind: "auth",
    says: "The host does not let this account in.",
    mend: "Put your public key there (ssh-copy-id), or load the key into your agent (ssh-add); passwords are never asked for.",
  },
  {
    pattern:
      /Session open refused by peer|administratively prohibited|channel \d+: open failed|no more sessions/,
    kind: "sessions",
    says: "The host lets no further session in.",
    mend: "It is tried again by itself. Close other connections, or raise MaxSessions in its sshd_config.",
  },
  {
    pattern:
      /Bad configuration option|bad configuration options|Bad owner or permissions|percent_expand|keyword .* extra arguments/,
    kind: "config",
    says: "ssh can't read your ssh config.",
    mend: "Mend the line that ssh names: run ssh to the host in a terminal.",
  },
  {
    pattern: /Could not resolve hostname/,
    kind: "network",
    says: "The host's name is not known here.",
    mend: `Check the name and this machine's network. ${CHECK_NETWORK}`,
  },
  {
    pattern: /Connection refused/,
    kind: "network",
    says: "Nothing listens at that address and port.",
    mend: `Check the port, and that sshd runs there. ${CHECK_NETWORK}`,
  },
  {
    pattern: /timed out|No route to host|Network is unreachable|not responding|Host is down/,
    kind: "network",
    says: "The host does not answer.",
    mend: CHECK_NETWORK,
  },
  {
    pattern: /kex_exchange_identification|Connection (closed|reset) by|Broken pipe|Connection closed/,
    kind: "network",
    says: "The host ended the connection.",
    mend: CHECK_NETWORK,
  },
];

/**
 * What ssh's words mean.
 *
 * @param words  What it said on stderr; a banner or a shell's noise may stand among it.
 */
export function explainSsh(words: string): SshError {
  // The last words count: a banner before them may say anything.
  const lines = words.trim().split("\n").reverse();
  const found = lines.flatMap((line) => RULES.filter(({ pattern }) => pattern.test(line)))[0];
  const rule = found?.kind === "host_key_unknown" ? RULES.find(({ pattern }) => pattern.test(words)) : found;
  if (rule) return new SshError(rule.kind, rule.says, rule.mend);
  const last = lines[0]?.trim().slice(0, 300) ?? "";
  return new SshError("network", last === "" ? "The connection ended." : `ssh says: ${last}`, CHECK_NETWORK);
}
