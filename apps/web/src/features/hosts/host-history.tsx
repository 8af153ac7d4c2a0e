import { formatAgo } from "@sightline/core/format";
import { StatusMark } from "@sightline/ui/status";
import classes from "./host-history.module.css";
import { useHostEvents } from "./use-hosts.ts";
import { EVENT_WORDS } from "./words.ts";

/** What happened to a host, newest first. */
export function HostHistory({ host_id }: { host_id: string }) {
  const events = useHostEvents(host_id);
  const now = Date.now() / 1000;
  return (
    <section aria-label="What happened">
      <h3 className={classes.title}>What happened</h3>
      {events.length === 0 && <p className={classes.none}>Nothing yet.</p>}
      <ol className={classes.events}>
        {events.map(({ event_id, kind, says, time_secs }) => (
          <li key={event_id} data-event={kind}>
            <time
              dateTime={new Date(time_secs * 1000).toISOString()}
              title={new Date(time_secs * 1000).toLocaleString()}
            >
              {formatAgo(time_secs, now)}
            </time>
            <StatusMark tone={EVENT_WORDS[kind].tone} />
            <span>
              <b>{EVENT_WORDS[kind].label}</b> {says}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
