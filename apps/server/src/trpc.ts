import { initTRPC } from "@trpc/server";
import { ZodError } from "zod";
import type { App } from "./app.ts";
import { explainFailure } from "./data-folder/explain-failure.ts";

export type Context = { app: App };

const t = initTRPC.context<Context>().create({
  sse: {
    ping: { enabled: true, intervalMs: 2000 },
    client: { reconnectAfterInactivityMs: 5000 },
  },
  errorFormatter: ({ shape, error }) => ({
    ...shape,
    message: error.cause instanceof ZodError ? explainInput(error.cause) : explainFailure(error),
  }),
});

export const { router, procedure } = t;

/** What is wrong with an input. Words of our own are sentences; zod's are told with the field that they are about. */
function explainInput({ issues }: ZodError): string {
  return issues
    .map((issue) => {
      const field = `“${issue.path.join(" ")}”`;
      if (issue.code === "too_big" && issue.origin === "string")
        return `${field} is too long: ${issue.maximum} characters at most.`;
      return issue.path.length === 0 || issue.message.endsWith(".")
        ? issue.message
        : `${field}: ${issue.message}.`;
    })
    .join(" ");
}
