import type { AppRouter } from "@sightline/server/router";
import { type Operation, TRPCClientError, type TRPCLink } from "@trpc/client";
import { type Observer, observable, type Unsubscribable } from "@trpc/server/observable";
import { setConnection } from "./session.ts";

/** How long a tab may be out of sight before it gives its connection back. */
const HIDDEN_GRACE_MS = 10_000;

/** Subscriptions that begin or end together, as they do when a page changes, cost one new connection. */
const SETTLE_MS = 20;

type Stream = {
  op: Operation;
  observer: Observer<never, TRPCClientError<AppRouter>>;
  /** The last event that arrived, as the server named it; the stream goes on after it. */
  event_id: string | null;
};

/** What the server's `live.follow` says; see apps/server/src/live/router.ts. */
type LiveEvent =
  | { id: number; kind: "value"; event_id: string | null; value: unknown }
  | { id: number; kind: "end" }
  | { id: number; kind: "error"; code: string; message: string };

/**
 * Carries all subscriptions of a tab over one connection, since a browser allows about six to a server over all of
 * its tabs. A tab that stays hidden, or a page that was left, gives its connection back and goes on after the last
 * event when it is seen again.
 */
export function liveLink(): TRPCLink<AppRouter> {
  return () => {
    const streams = new Map<number, Stream>();
    let connection: Unsubscribable | null = null;
    let next: Parameters<ReturnType<TRPCLink<AppRouter>>>[0]["next"] | null = null;
    let settling: ReturnType<typeof setTimeout> | undefined;
    let hiding: ReturnType<typeof setTimeout> | undefined;

    const end = (id: number): Stream | undefined => {
      const stream = streams.get(id);
      streams.delete(id);
      return stream;
    };

    const hear = (event: LiveEvent) => {
      if (event.kind === "end") return end(event.id)?.observer.complete();
      if (event.kind === "error") {
        const { code, message } = event;
        return end(event.id)?.observer.error(
          TRPCClientError.from({ error: { code: 0, message, data: { code } } } as never),
        );
      }
      const stream = streams.get(event.id);
      if (stream === undefined) return;
      const { event_id, value } = event;
      if (event_id !== null) stream.event_id = event_id;
      const result =
        event_id === null ? { data: value } : { id: event_id, data: { id: event_id, data: value } };
      stream.observer.next({ result } as never);
    };

    const close = () => {
      clearTimeout(settling);
      connection?.unsubscribe();
      connection = null;
    };

    const open = () => {
      close();
      const [first] = streams.values();
      if (first === undefined || next === null) return setConnection("quiet");
      const wanted = [...streams].map(([id, { op, event_id }]) => ({
        id,
        path: op.path,
        input: event_id === null ? op.input : { ...(op.input as object), lastEventId: event_id },
      }));
      let isMine = true;
      const opened = next({
        ...first.op,
        signal: null,
        path: "live.follow",
        input: { streams: wanted },
      }).subscribe({
        next({ result }) {
          if (!isMine) return;
          if (result.type === "state") setConnection(result.state === "pending" ? "live" : "connecting");
          else if (result.type === "started")
            for (const { observer } of streams.values()) observer.next({ result } as never);
          else if (result.type !== "stopped") hear((result.data as { data: LiveEvent }).data);
        },
        error(error) {
          if (!isMine) return;
          setConnection("quiet");
          for (const id of [...streams.keys()]) end(id)?.observer.error(error as TRPCClientError<AppRouter>);
        },
        complete() {
          if (isMine) setConnection("quiet");
        },
      });
      connection = {
        unsubscribe() {
          isMine = false;
          opened.unsubscribe();
        },
      };
    };

    const settle = () => {
      clearTimeout(settling);
      settling = setTimeout(() => {
        if (document.visibilityState === "visible" || connection !== null) open();
      }, SETTLE_MS);
    };

    document.addEventListener("visibilitychange", () => {
      clearTimeout(hiding);
      if (document.visibilityState === "visible") {
        if (connection === null) settle();
      } else {
        hiding = setTimeout(() => {
          close();
          setConnection("quiet");
        }, HIDDEN_GRACE_MS);
      }
    });

    // A page that is left is kept, frozen, for going back: no timer of it would give the connection back any more.
    window.addEventListener("pagehide", () => {
      close();
      setConnection("quiet");
    });

    return ({ op, next: toServer }) =>
      observable((observer) => {
        next = toServer as typeof next;
        streams.set(op.id, { op, observer: observer as Stream["observer"], event_id: null });
        settle();
        return () => {
          if (end(op.id) !== undefined) settle();
        };
      });
  };
}
