import { addGrowth, markTrace, type TracePart, type TraceSummary } from "@sightline/core/traces";
import { skipToken, useQuery } from "@tanstack/react-query";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { useFollow } from "../../app/follow.ts";

/** Puts a trace as the server has just told it where it is shown. */
export function putTrace(trace: TracePart): void {
  queryClient.setQueryData(trpc.traces.get.queryKey({ trace_id: trace.trace_id }), trace);
  const { text: _, prompt: __, triples: ___, ...summary } = trace;
  const key = trpc.traces.list.queryKey({ clip_id: trace.clip_id, question_id: trace.question_id });
  queryClient.setQueryData(key, (traces: TraceSummary[] | undefined) =>
    traces === undefined
      ? undefined
      : [summary, ...traces.filter(({ trace_id }) => trace_id !== trace.trace_id)].sort(
          (a, b) => b.made_secs - a.made_secs,
        ),
  );
  // A list that is on its way may have been made before this trace was asked for, or before it ended.
  const isTurn = trace.text === "" || trace.state !== "streaming";
  if (isTurn && queryClient.isFetching({ queryKey: key }) > 0)
    void queryClient.invalidateQueries({ queryKey: key });
}

/** A text only ever grows: asked for again, a trace comes with its beginning, and what is here of it stays. */
function keepText(before: unknown, after: unknown): TracePart {
  const [here, now] = [before as TracePart | undefined, after as TracePart];
  return here !== undefined && here.text.length > now.text.length ? { ...now, text: here.text } : now;
}

/** One trace, live while its text comes, while it is being written or judged; null for none. */
export function useTrace(trace_id: string | null) {
  const query = useQuery({
    ...trpc.traces.get.queryOptions(trace_id === null ? skipToken : { trace_id }),
    structuralSharing: keepText,
  });
  const here = query.data;
  useFollow(`trace ${trace_id} ${here !== undefined}`, () =>
    here === undefined
      ? { unsubscribe() {} }
      : client.traces.follow.subscribe(
          { trace_id: here.trace_id, lastEventId: markTrace(here, here.text.length) },
          {
            onData({ data }) {
              const key = trpc.traces.get.queryKey({ trace_id: here.trace_id });
              putTrace(addGrowth(queryClient.getQueryData(key) ?? here, data));
            },
            onError: () => undefined,
          },
        ),
  );
  return query;
}

/** The traces of a question on a clip, newest first. */
export function useTraces(clip_id: string, question_id: string | null) {
  return useQuery(trpc.traces.list.queryOptions(question_id === null ? skipToken : { clip_id, question_id }));
}
