import type { AppRouter } from "@sightline/server/router";
import { QueryClient } from "@tanstack/react-query";
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  retryLink,
  splitLink,
  TRPCClientError,
} from "@trpc/client";
import { createTRPCOptionsProxy } from "@trpc/tanstack-react-query";
import { liveLink } from "./live-link.ts";
import { loseSession } from "./session.ts";

/** `fetch` that notices when the server no longer knows this browser. */
export async function fetchInSession(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (response.status === 401) loseSession();
  return response;
}

/** True when the server itself refused; false when it could not be reached, or broke on the way. */
export function isAnswered(error: unknown): boolean {
  return error instanceof TRPCClientError && error.data !== null && error.data !== undefined;
}

const http = {
  url: "/trpc",
  fetch: (input: RequestInfo | URL | string, init?: RequestInit) => fetchInSession(input, init),
};

/** Given to a query as `trpc`: it travels alone, so that the first of many answers need not wait for the last. */
export const alone = { context: { alone: true } };

/** The typed client of the server. Subscriptions survive a lost connection and go on after the last event seen. */
export const client = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: (operation) => operation.type === "subscription",
      true: [
        liveLink(),
        retryLink({
          retry: ({ error }) => !isAnswered(error),
          retryDelayMs: (n) => Math.min(250 * 2 ** n, 5000),
        }),
        httpSubscriptionLink({ url: "/trpc" }),
      ],
      false: splitLink({
        condition: (operation) => operation.context.alone === true,
        true: httpLink(http),
        false: httpBatchLink(http),
      }),
    }),
  ],
});

/** True when the server has just started and can't say yet; its message says what it still reads. */
export function isNotYet(error: unknown): error is Error {
  return error instanceof TRPCClientError && error.data?.code === "SERVICE_UNAVAILABLE";
}

/** Why a query has no answer: it was refused, or the server can't say yet. Null while it is asked, and once it has one. */
export function whyNot(query: { error: unknown; failureReason: unknown }): Error | null {
  if (query.error instanceof Error) return query.error;
  return isNotYet(query.failureReason) ? query.failureReason : null;
}

/** What the server said. A refusal is not asked again; silence is, and so is "not yet". */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => isNotYet(error) || (!isAnswered(error) && failures < 4),
      retryDelay: (n) => Math.min(300 * 2 ** n, 4000),
    },
  },
});

/** Query and mutation options of every procedure: `useQuery(trpc.clips.list.queryOptions({}))`. */
export const trpc = createTRPCOptionsProxy<AppRouter>({ client, queryClient });
