import type { Alert, AlertsNow } from "@sightline/core/alerts";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { client, queryClient, trpc } from "./clients.ts";
import { followSoon, useFollow } from "./follow.ts";

const KEY = ["alerts", "now"];
const NONE: readonly Alert[] = [];

const start = () =>
  client.alerts.follow.subscribe(undefined, {
    onData(now) {
      queryClient.setQueryData<AlertsNow>(KEY, now);
      void queryClient.invalidateQueries({ queryKey: trpc.alerts.deliveries.queryKey() });
    },
  });

/** Opens the stream of alerts with those of a page that is on its way. */
export function followAlertsSoon(): void {
  followSoon("alerts", start);
}

/** The newest alerts of all runs, live; undefined until they were read. */
export function useAlerts(): AlertsNow | undefined {
  useFollow("alerts", start);
  return useQuery<AlertsNow>({ queryKey: KEY, enabled: false }).data;
}

/** Those of one run, newest first. */
export function useAlertsOf(run_id: string): readonly Alert[] {
  const all = useAlerts()?.alerts ?? NONE;
  return useMemo(() => all.filter((alert) => alert.run_id === run_id), [all, run_id]);
}

/** Says that alerts were seen, and lets that be taken back. */
export function acknowledge(alerts: readonly Alert[], is_taken_back = false): Promise<unknown> {
  return client.alerts.acknowledge.mutate({
    alert_ids: alerts.map(({ alert_id }) => alert_id),
    is_taken_back,
  });
}

/** At which steps an alert held, in words. */
export function describeSteps({ from_step, until_step, ended_secs }: Alert): string {
  if (ended_secs === null) return `since step ${from_step}`;
  return until_step === null || until_step === from_step
    ? `at step ${from_step}`
    : `steps ${from_step} to ${until_step}`;
}
