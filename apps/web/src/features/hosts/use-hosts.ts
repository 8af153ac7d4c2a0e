import { addUsage, type HostEvent, type HostSummary, type HostUsage } from "@sightline/core/hosts";
import { skipToken, useQuery } from "@tanstack/react-query";
import { client, queryClient, trpc } from "../../app/clients.ts";
import { putTold, useFollow } from "../../app/follow.ts";

const NO_SAMPLES: readonly HostUsage[] = [];
const NO_EVENTS: readonly HostEvent[] = [];
const usageKey = ["hosts", "usage"];
const eventsKey = (host_id: string) => ["hosts", "events", host_id];

/** All hosts, live: the stream tells the whole list. */
export function useHosts() {
  useFollow("hosts", () =>
    client.hosts.follow.subscribe(undefined, {
      onData: (hosts) => void putTold<HostSummary[]>(trpc.hosts.list.queryKey(), [...hosts]),
    }),
  );
  return useQuery(trpc.hosts.list.queryOptions());
}

/** How busy a host was in the last hour, oldest first, live. */
export function useUsage(host_id: string): readonly HostUsage[] {
  useFollow("usage of hosts", () =>
    client.hosts.followUsage.subscribe(undefined, {
      onData: (batches) =>
        queryClient.setQueryData<Record<string, HostUsage[]>>(usageKey, (known = {}) => {
          const all = { ...known };
          for (const { host_id: id, samples } of batches) all[id] = addUsage(all[id] ?? [], samples);
          return all;
        }),
    }),
  );
  const all = useQuery<Record<string, HostUsage[]>>({ queryKey: usageKey, queryFn: skipToken }).data;
  return all?.[host_id] ?? NO_SAMPLES;
}

/** What happened to a host, newest first, live. */
export function useHostEvents(host_id: string): readonly HostEvent[] {
  useFollow(`events of ${host_id}`, () =>
    client.hosts.followEvents.subscribe(
      { host_id },
      { onData: (events) => queryClient.setQueryData<HostEvent[]>(eventsKey(host_id), [...events]) },
    ),
  );
  return useQuery<HostEvent[]>({ queryKey: eventsKey(host_id), queryFn: skipToken }).data ?? NO_EVENTS;
}
