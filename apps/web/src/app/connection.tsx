import { StatusMark } from "@sightline/ui/status";
import { useEffect, useState } from "react";
import { client, queryClient } from "./clients.ts";
import classes from "./connection.module.css";
import { useConnection } from "./session.ts";

/** A short drop is nobody's business; longer than this it is said. */
const GRACE_MS = 1500;

/** True while the live streams have been down for longer than a blink. */
function useIsAway(): boolean {
  const connection = useConnection();
  const [isAway, setAway] = useState(false);
  const isDown = connection === "reconnecting";
  useEffect(() => {
    if (!isDown) return;
    const timer = setTimeout(() => setAway(true), GRACE_MS);
    return () => {
      clearTimeout(timer);
      setAway(false);
    };
  }, [isDown]);
  return isAway;
}

/** In the foot: how the connection stands. */
export function ConnectionState() {
  const connection = useConnection();
  const isAway = useIsAway();
  if (isAway) {
    return (
      <span className={classes.state}>
        <StatusMark tone="busy" /> Reconnecting
      </span>
    );
  }
  return (
    <span className={classes.state}>
      <StatusMark tone={connection === "connecting" ? "waiting" : "quiet"} />
      {connection === "connecting" ? "Connecting" : "Connected"}
    </span>
  );
}

/** Above the page: says that the server is away. Goes by itself, and then asks again for what failed meanwhile. */
export function ConnectionBanner() {
  const isAway = useIsAway();
  useEffect(() => {
    if (!isAway) return;
    // A stream cannot tell "away" from "no longer admitted"; an ordinary request can.
    const timer = setInterval(() => client.health.query().catch(() => {}), 4000);
    return () => {
      clearInterval(timer);
      void queryClient.invalidateQueries();
    };
  }, [isAway]);
  if (!isAway) return null;
  return (
    <div className={classes.banner} role="status">
      <StatusMark tone="busy" />
      The server is not answering. Reconnecting by itself; what is on screen is as it was.
    </div>
  );
}
