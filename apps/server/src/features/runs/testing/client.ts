import { createTRPCClient, httpBatchLink, httpSubscriptionLink, retryLink, splitLink } from "@trpc/client";
import { EventSource } from "eventsource";
import type { AppRouter } from "../../../router.ts";

/** A typed client over HTTP and SSE, as the browser has it, in Node. */
export type Client = Awaited<ReturnType<typeof connect>>;

/**
 * Enters with the installation's token and keeps the cookie.
 *
 * @param address  `http://127.0.0.1:PORT`.
 */
export async function connect(address: string, token: string) {
  const entered = await fetch(`${address}/enter?token=${encodeURIComponent(token)}`, { redirect: "manual" });
  const cookie = entered.headers.get("set-cookie")?.split(";")[0];
  if (!cookie) throw new Error(`no session at ${address}: ${entered.status}`);
  const headers = { cookie, origin: address };

  class SessionEventSource extends EventSource {
    constructor(url: string | URL) {
      super(url, { fetch: (at, init) => fetch(at, { ...init, headers: { ...init.headers, ...headers } }) });
    }
  }

  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (operation) => operation.type === "subscription",
        true: [
          retryLink({ retry: () => true, retryDelayMs: (n) => Math.min(100 * 2 ** n, 1000) }),
          httpSubscriptionLink({ url: `${address}/trpc`, EventSource: SessionEventSource }),
        ],
        false: httpBatchLink({ url: `${address}/trpc`, headers }),
      }),
    ],
  });
}
