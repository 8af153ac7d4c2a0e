import type { AppRouter } from "@sightline/server/router";
import type { TRPCLink } from "@trpc/client";
import { observable, type Unsubscribable } from "@trpc/server/observable";
import { setStreamState } from "./session.ts";

/** How long a tab may be out of sight before it gives its streams back. A browser allows about six per server. */
const HIDDEN_GRACE_MS = 15_000;

/**
 * Keeps subscriptions to what is looked at: a tab that stays hidden lets go of its streams, and when it is seen
 * again it goes on after the last event that it had. Also reports how each stream stands.
 */
export function liveLink(): TRPCLink<AppRouter> {
  return () =>
    ({ op, next }) =>
      observable((observer) => {
        let stream: Unsubscribable | null = null;
        let lastEventId: string | null = null;
        let timer: ReturnType<typeof setTimeout> | undefined;

        const open = () => {
          let paused = false;
          const input = lastEventId === null ? op.input : { ...(op.input as object), lastEventId };
          const subscription = next({ ...op, input }).subscribe({
            next(envelope) {
              const { result } = envelope;
              if (result.type === "state") {
                setStreamState(op.id, result.state === "pending" ? "live" : "connecting");
              } else if ((result.type === undefined || result.type === "data") && result.id !== undefined) {
                lastEventId = result.id;
              }
              observer.next(envelope);
            },
            error(error) {
              setStreamState(op.id, null);
              observer.error(error);
            },
            complete() {
              if (paused) return;
              setStreamState(op.id, null);
              observer.complete();
            },
          });
          stream = {
            unsubscribe() {
              paused = true;
              subscription.unsubscribe();
            },
          };
        };

        const close = () => {
          stream?.unsubscribe();
          stream = null;
          setStreamState(op.id, null);
        };

        const onVisibility = () => {
          clearTimeout(timer);
          if (document.visibilityState === "hidden") timer = setTimeout(close, HIDDEN_GRACE_MS);
          else if (stream === null) open();
        };

        document.addEventListener("visibilitychange", onVisibility);
        open();
        return () => {
          document.removeEventListener("visibilitychange", onVisibility);
          clearTimeout(timer);
          close();
        };
      });
}
