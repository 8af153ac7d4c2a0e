import type { Trace } from "@sightline/core/traces";
import { skipToken, useQuery } from "@tanstack/react-query";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { useFollow } from "../../app/follow.ts";

/** Puts a trace as the server has just told it where it is shown. */
export function putTrace(trace: Trace): void {
  queryClient.setQueryData(trpc.traces.get.queryKey({ trace_id: trace.trace_id }), trace);
  queryClient.setQueryData(
    trpc.traces.list.queryKey({ clip_id: trace.clip_id, question_id: trace.question_id }),
    (traces) =>
      traces === undefined
        ? undefined
        : [trace, ...traces.filter(({ trace_id }) => trace_id !== trace.trace_id)].sort(
            (a, b) => b.made_secs - a.made_secs,
          ),
  );
}

/** One trace, live while it is being written or judged; null for none. */
export function useTrace(trace_id: string | null) {
  useFollow(`trace ${trace_id}`, () =>
    trace_id === null
      ? { unsubscribe() {} }
      : client.traces.follow.subscribe({ trace_id }, { onData: putTrace, onError: () => undefined }),
  );
  return useQuery(trpc.traces.get.queryOptions(trace_id === null ? skipToken : { trace_id }));
}

/** The traces of a question on a clip, newest first. */
export function useTraces(clip_id: string, question_id: string | null) {
  return useQuery(trpc.traces.list.queryOptions(question_id === null ? skipToken : { clip_id, question_id }));
}
