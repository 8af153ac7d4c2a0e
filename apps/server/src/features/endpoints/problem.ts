/** What went wrong with an endpoint, in words for a person; never holds the key. */
export class EndpointProblem extends Error {
  override name = "EndpointProblem";

  constructor(
    message: string,
    readonly kind:
      | "unreachable"
      | "unauthorized"
      | "no_model"
      | "refused"
      | "busy"
      | "server_error"
      | "timeout"
      | "broken_off"
      | "not_an_api"
      | "redirect",
    /** Seconds that the endpoint asks to wait; null when it does not say. */
    readonly retry_after_secs: number | null = null,
  ) {
    super(message);
  }

  /** True when asking again may help. */
  get is_passing(): boolean {
    return ["unreachable", "busy", "server_error", "timeout", "broken_off"].includes(this.kind);
  }
}

const CODES: Record<string, string> = {
  ECONNREFUSED: "nothing listens there. Is the server started, and is the port right?",
  ENOTFOUND: "there is no such host name.",
  EAI_AGAIN: "the host name could not be looked up. Is this machine online?",
  ECONNRESET: "the connection was cut.",
  EPIPE: "the connection was cut.",
  UND_ERR_SOCKET: "the connection was cut.",
  UND_ERR_CONNECT_TIMEOUT: "the host does not answer.",
  ETIMEDOUT: "the host does not answer.",
  EHOSTUNREACH: "there is no way to this host.",
  ENETUNREACH: "there is no way to this host.",
  CERT_HAS_EXPIRED: "its certificate has expired.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is self-signed.",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host.",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak https. Try http.",
  EPROTO: "it does not speak https. Try http.",
};

/** A failure of the network, by the host that was called. */
export function explainNetworkError(error: unknown, host: string): EndpointProblem {
  const code = findCode(error);
  if (error instanceof Error && error.cause instanceof Error && error.cause.message === "bad port") {
    return new EndpointProblem(`${host}: this port is kept for another protocol.`, "refused");
  }
  const isLost = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"].includes(code ?? "");
  const words = CODES[code ?? ""] ?? `the connection failed${code === null ? "" : ` (${code})`}.`;
  return new EndpointProblem(`${host}: ${words}`, isLost ? "broken_off" : "unreachable");
}

function findCode(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === "string") return code;
    if (at instanceof AggregateError && at.errors.length > 0) return findCode(at.errors[0]);
  }
  return null;
}

/** An answer with a status other than 2xx. `said` is what the endpoint wrote, without the key. */
export function explainStatus(
  status: number,
  said: string,
  { host, model, has_key }: { host: string; model: string | null; has_key: boolean },
  retry_after_secs: number | null,
): EndpointProblem {
  const quote = said === "" ? "" : ` It says: “${said}”`;
  if (status >= 300 && status < 400) {
    return new EndpointProblem(
      `${host} redirects elsewhere, and redirects are not followed, so that the key goes nowhere else. Enter the address that it leads to.`,
      "redirect",
    );
  }
  if (status === 401 || status === 403) {
    const what = has_key ? "does not accept the key" : "wants a key";
    return new EndpointProblem(`${host} ${what} (${status}).${quote}`, "unauthorized");
  }
  if (status === 404 && model !== null && (/model/i.test(said) || said === "")) {
    return new EndpointProblem(`${host} has no model “${model}”.${quote}`, "no_model");
  }
  if (status === 404) {
    return new EndpointProblem(
      `${host} has nothing at this address (404). The base URL mostly ends in /v1.${quote}`,
      "not_an_api",
    );
  }
  if (status === 429 || status === 503) {
    const wait = !retry_after_secs ? "" : ` It asks to wait ${Math.ceil(retry_after_secs)} s.`;
    return new EndpointProblem(
      `${host} takes no more calls now (${status}).${wait}${quote}`,
      "busy",
      retry_after_secs,
    );
  }
  if (status === 408 || status >= 500) {
    return new EndpointProblem(`${host} failed (${status}).${quote}`, "server_error", retry_after_secs);
  }
  if (/model/i.test(said) && /not (?:found|exist)|unknown|does ?n[o']t exist|no such/i.test(said)) {
    return new EndpointProblem(`${host} has no model “${model ?? ""}”.${quote}`, "no_model");
  }
  return new EndpointProblem(`${host} refused the call (${status}).${quote}`, "refused");
}
