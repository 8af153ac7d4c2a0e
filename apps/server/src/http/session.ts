import { createHmac, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyRequest } from "fastify";

const COOKIE_SECS = 365 * 24 * 3600;

/** Who may come in: the printed token is exchanged for a cookie once, and the cookie is looked at from then on. */
export type Session = {
  /** Differs between installations: browsers send a cookie to every port of a host, so one name would clash. */
  cookie_name: string;
  cookie_value: string;
  /** True when the request carries this installation's cookie. */
  isOpen(request: FastifyRequest): boolean;
};

/**
 * The session of an installation. Its cookie is derived from the token, so it survives a restart and
 * ends when the token is replaced, and it does not reveal the token.
 */
export function createSession(token: string): Session {
  const cookie_name = `sightline_${sign(token, "cookie name")
    .replace(/[^A-Za-z0-9]/g, "")
    .slice(0, 8)}`;
  const cookie_value = sign(token, "session");
  return {
    cookie_name,
    cookie_value,
    isOpen: (request) => isSame(request.cookies[cookie_name] ?? "", cookie_value),
  };
}

/** How long the address that a browser is opened with lets in, in seconds. */
const TICKET_SECS = 120;

/**
 * A stand-in for the token that soon lets nobody in: the address that a browser is started with can be
 * read by every user of the machine in the list of processes.
 */
export function createTicket(token: string, now_secs: number): string {
  const until = String(Math.floor(now_secs) + TICKET_SECS);
  return `${until}.${sign(token, `ticket ${until}`)}`;
}

function isTicket(token: string, ticket: string, now_secs: number): boolean {
  const [until = "", mac = ""] = ticket.split(".");
  return isSame(mac, sign(token, `ticket ${until}`)) && Number(until) >= now_secs;
}

/** Adds `/enter?token=…` (or `ticket`), which turns the printed secret into the cookie. */
export function registerSession(server: FastifyInstance, token: string, session: Session) {
  server.get<{ Querystring: { token?: unknown; ticket?: unknown } }>("/enter", async (request, reply) => {
    const given = request.query;
    const isAdmitted =
      (typeof given.token === "string" && isSame(given.token, token)) ||
      (typeof given.ticket === "string" && isTicket(token, given.ticket, Date.now() / 1000));
    if (!isAdmitted) {
      return reply
        .code(403)
        .type("text/html; charset=utf-8")
        .send(doorPage("That token is not the one of this Sightline, or no longer."));
    }
    return reply
      .setCookie(session.cookie_name, session.cookie_value, {
        httpOnly: true,
        sameSite: "strict",
        path: "/",
        maxAge: COOKIE_SECS,
      })
      .redirect("/", 303);
  });
}

function sign(token: string, text: string): string {
  return createHmac("sha256", token).update(text).digest("base64url");
}

/** Compares without telling by its time how much was right. */
function isSame(given: string, right: string): boolean {
  const digest = (text: string) => createHmac("sha256", "compare").update(text).digest();
  return timingSafeEqual(digest(given), digest(right));
}

/** The page for someone who isn't in. */
export function doorPage(reason: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sightline</title>
<style>
  body { font: 16px/1.6 system-ui, sans-serif; max-width: 34rem; margin: 18vh auto 0; padding: 0 1.5rem }
  h1 { font-size: 1.25rem } code { font-family: ui-monospace, monospace }
</style>
<h1>Sightline</h1>
<p>${reason}</p>
<p>Open the address that <code>npm start</code> printed in the terminal: it ends in <code>/enter?token=…</code>. Once is enough for this browser.</p>
</html>
`;
}
