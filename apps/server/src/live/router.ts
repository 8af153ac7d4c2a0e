import { setMaxListeners } from "node:events";
import { getTRPCErrorFromUnknown, isTrackedEnvelope, TRPCError, tracked } from "@trpc/server";
import { z } from "zod";
import type { Context } from "../trpc.ts";
import { procedure, router } from "../trpc.ts";
import { mergeStreams, type Said } from "./merge.ts";

/** How many streams one page may have. */
const MOST = 30;

const Streams = z.object({
  streams: z
    .array(z.object({ id: z.int().min(0), path: z.string().max(100), input: z.unknown().optional() }))
    .min(1)
    .max(MOST),
  /** JSON: the last event of each stream, by its id. */
  lastEventId: z.string().max(4000).nullish(),
});

/** What one stream of a page said; `event_id` is the stream's own id of the event, where it has one. */
export type LiveEvent =
  | { id: number; kind: "value"; event_id: string | null; value: unknown }
  | { id: number; kind: "end" }
  | { id: number; kind: "error"; code: TRPCError["code"]; message: string };

const LastEvents = z.record(z.string(), z.string());

/**
 * All live streams of a page in one: a browser allows about six connections to a server over all of its tabs, and a
 * page that follows jobs, clips and a run would take three of them.
 */
export const liveRouter = router({
  follow: procedure.input(Streams).subscription(async function* ({
    ctx,
    input,
    signal,
  }): AsyncGenerator<ReturnType<typeof tracked<LiveEvent>>> {
    const last = LastEvents.parse(JSON.parse(input.lastEventId ?? "{}"));
    const left = signal ?? new AbortController().signal;
    // Each stream hears of its end by this one signal, at more than one place: many of them are no leak.
    setMaxListeners(MOST * 4, left);
    const open = await openProcedures(ctx, left);
    const streams = new Map(
      input.streams.map(({ id, path, input: given }) => {
        const event_id = last[id];
        return [
          id,
          open(path, event_id === undefined ? given : { ...(given as object), lastEventId: event_id }),
        ];
      }),
    );
    for await (const said of mergeStreams(streams)) {
      const event = toEvent(said);
      if (event.kind === "value" && event.event_id !== null) last[event.id] = event.event_id;
      yield tracked(JSON.stringify(last), event);
    }
  }),
});

type Open = (path: string, input: unknown) => AsyncIterable<unknown>;

/** Subscriptions of the whole router by their path. The router is looked up late: it contains this one. */
async function openProcedures(ctx: Context, signal: AbortSignal): Promise<Open> {
  const { appRouter } = await import("../router.ts");
  const caller: unknown = appRouter.createCaller(ctx, { signal });
  const { procedures } = appRouter._def;
  return async function* (path, input) {
    const type = (procedures as Record<string, { _def?: { type?: string } }>)[path]?._def?.type;
    if (type !== "subscription" || path === "live.follow") {
      throw new TRPCError({ code: "NOT_FOUND", message: `There is no stream ${path}.` });
    }
    const call = path.split(".").reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], caller);
    yield* await (call as (input: unknown) => Promise<AsyncIterable<unknown>>)(input);
  };
}

function toEvent(said: Said<unknown>): LiveEvent {
  const { id } = said;
  if (said.kind === "end") return { id, kind: "end" };
  if (said.kind === "error") {
    const { code, message } = getTRPCErrorFromUnknown(said.error);
    return { id, kind: "error", code, message };
  }
  if (!isTrackedEnvelope<unknown>(said.value))
    return { id, kind: "value", event_id: null, value: said.value };
  const [event_id, value] = said.value;
  return { id, kind: "value", event_id, value };
}
