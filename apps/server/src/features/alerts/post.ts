import { createHmac } from "node:crypto";
import { lookup } from "node:dns";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { setTimeout } from "node:timers";

/** Where alerts may be sent to, in words for a person. */
export const ALLOWED_TARGETS =
  "https to any host, http only to this machine; never to link-local, multicast or unspecified addresses. Redirects are not followed.";

/** What came of one try. */
export type Posted = {
  /** Null where there was no answer. */
  status: number | null;
  /** A sentence that never holds the address; null when it was taken. */
  problem: string | null;
  /** True when another try may help. */
  is_passing: boolean;
  /** Seconds that the receiver asks to wait; null when it does not say. */
  retry_after_secs: number | null;
};

const never = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 3],
] as const)
  never.addSubnet(net, bits, "ipv4");
never.addAddress("::", "ipv6");
never.addSubnet("fe80::", 10, "ipv6");
never.addSubnet("ff00::", 8, "ipv6");

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/** True when an alert may go to an IP address. */
export function isAllowedAddress(address: string, protocol: string): boolean {
  const family = isIP(address) === 6 ? "ipv6" : "ipv4";
  if (isIP(address) === 0 || never.check(address, family)) return false;
  return protocol === "https:" || loopback.check(address, family);
}

/** What is wrong with an address of a receiver, in a sentence that does not repeat it; null when nothing is. */
export function findAddressFault(text: string): string | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return "This is no address. It looks like https://hooks.example.org/services/….";
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return "The address begins with https:// or http://.";
  if (url.username !== "" || url.password !== "")
    return "The address holds a name or a password. Sign with a key instead.";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (
    isIP(host) !== 0
      ? !isAllowedAddress(host, url.protocol)
      : url.protocol === "http:" && host !== "localhost"
  )
    return `Alerts can't go there. Allowed: ${ALLOWED_TARGETS}`;
  return null;
}

class ForbiddenTarget extends Error {}

/** Looks a name up and refuses addresses that alerts may not go to, at the moment at which they are called. */
const lookupFor =
  (protocol: string): LookupFunction =>
  (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return done(error, "", 0);
      const allowed = found.filter(({ address }) => isAllowedAddress(address, protocol));
      const [first] = allowed;
      if (first === undefined) return done(new ForbiddenTarget(), "", 0);
      if (options.all) return done(null, allowed);
      done(null, first.address, first.family);
    });
  };

/** The signature of a body: HMAC-SHA256 over "TIME.BODY", hexadecimal. */
export function sign(key: string, time_secs: number, body: string): string {
  return createHmac("sha256", key).update(`${time_secs}.${body}`).digest("hex");
}

/**
 * Posts a body once. Redirects are not followed, and what is answered is not kept.
 *
 * @param key  To sign with; null sends it plain.
 */
export function post(
  { url: address, key }: { url: string; key: string | null },
  { delivery_id, body }: { delivery_id: string; body: string },
  { timeout_ms, signal }: { timeout_ms: number; signal: AbortSignal },
): Promise<Posted> {
  const url = new URL(address);
  const time_secs = Math.floor(Date.now() / 1000);
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  const failed = (problem: string, is_passing = true): Posted => ({
    status: null,
    problem,
    is_passing,
    retry_after_secs: null,
  });
  if (findAddressFault(address) !== null)
    return Promise.resolve(failed("Alerts may not go to this address any more. Enter another one.", false));
  return new Promise((resolve) => {
    const finish = (posted: Posted) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(posted);
      outgoing.destroy();
    };
    const outgoing = send(
      url,
      {
        method: "POST",
        agent: false,
        lookup: lookupFor(url.protocol),
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "user-agent": "sightline",
          "x-sightline-delivery": delivery_id,
          ...(key !== null && { "x-sightline-signature": `t=${time_secs},v1=${sign(key, time_secs, body)}` }),
        },
      },
      (answer) => finish(explain(answer.statusCode ?? 0, answer.headers)),
    );
    const timer = setTimeout(
      () => finish(failed(`The receiver did not answer within ${timeout_ms / 1000} s.`)),
      timeout_ms,
    );
    const onAbort = () => finish(failed("Sightline was ended while it was being told."));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    outgoing.on("error", (error: NodeJS.ErrnoException) =>
      finish(
        error instanceof ForbiddenTarget
          ? failed("The receiver's name leads to an address that alerts may not go to.", false)
          : failed(CODES[error.code ?? ""] ?? `The connection failed (${error.code ?? "unknown"}).`),
      ),
    );
    outgoing.end(body);
  });
}

const CODES: Record<string, string> = {
  ECONNREFUSED: "Nothing listens there.",
  ENOTFOUND: "There is no such host name.",
  EAI_AGAIN: "The host name could not be looked up. Is this machine online?",
  ECONNRESET: "The connection was cut.",
  EPIPE: "The connection was cut.",
  ETIMEDOUT: "The host does not answer.",
  EHOSTUNREACH: "There is no way to this host.",
  ENETUNREACH: "There is no way to this host.",
  CERT_HAS_EXPIRED: "Its certificate has expired.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "Its certificate is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: "Its certificate is self-signed.",
  ERR_TLS_CERT_ALTNAME_INVALID: "Its certificate is for another host.",
};

function explain(status: number, headers: Record<string, string | string[] | undefined>): Posted {
  const done = (problem: string | null, is_passing: boolean): Posted => ({
    status,
    problem,
    is_passing,
    retry_after_secs: readRetryAfter(headers["retry-after"]),
  });
  if (status >= 200 && status < 300) return done(null, false);
  if (status >= 300 && status < 400)
    return done(
      `The receiver redirects elsewhere (${status}); redirects are not followed. Enter the new address.`,
      false,
    );
  if (status === 404 || status === 410)
    return done(`The receiver has nothing at this address any more (${status}).`, false);
  if (status === 408 || status === 429 || status >= 500)
    return done(`The receiver failed (${status}).`, true);
  return done(`The receiver refused it (${status}).`, false);
}

function readRetryAfter(text: string | string[] | undefined): number | null {
  const secs = typeof text === "string" && /^\d+$/.test(text.trim()) ? Number(text) : null;
  return secs !== null && Number.isFinite(secs) ? secs : null;
}
