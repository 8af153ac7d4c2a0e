import { create } from "zustand";

type StreamState = "connecting" | "live";

/** What the page knows of its server, apart from what the server said. */
type Session = {
  /** lost: the server no longer admits this browser; only the printed URL helps. */
  session: "open" | "lost";
  /** The open live streams, by the id of their subscription. */
  streams: ReadonlyMap<number, StreamState>;
  /** True once any stream was live: before that, "connecting" is not a loss. */
  wasLive: boolean;
};

export const useSession = create<Session>(() => ({ session: "open", streams: new Map(), wasLive: false }));

/** The server no longer admits this browser. */
export function loseSession(): void {
  useSession.setState({ session: "lost" });
}

/** Notes how one live stream stands; null when it has ended. */
export function setStreamState(id: number, state: StreamState | null): void {
  const { streams, wasLive } = useSession.getState();
  if ((streams.get(id) ?? null) === state) return;
  const next = new Map(streams);
  if (state === null) next.delete(id);
  else next.set(id, state);
  useSession.setState({ streams: next, wasLive: wasLive || state === "live" });
}

/** How the live streams stand together; "quiet" when none is open. */
export function useConnection(): "quiet" | "connecting" | "live" | "reconnecting" {
  return useSession(({ streams, wasLive }) => {
    if (streams.size === 0) return "quiet";
    const waiting = [...streams.values()].includes("connecting");
    if (!waiting) return "live";
    return wasLive ? "reconnecting" : "connecting";
  });
}
