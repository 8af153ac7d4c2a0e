import { create } from "zustand";

/** What the page knows of its server, apart from what the server said. */
type Session = {
  /** lost: the server no longer admits this browser; only the printed URL helps. */
  session: "open" | "lost";
  /** How the tab's live connection stands; quiet: none is wanted. */
  connection: "quiet" | "connecting" | "live";
  /** True once the connection was live: before that, "connecting" is not a loss. */
  wasLive: boolean;
};

export const useSession = create<Session>(() => ({ session: "open", connection: "quiet", wasLive: false }));

/** The server no longer admits this browser. */
export function loseSession(): void {
  useSession.setState({ session: "lost" });
}

/** Notes how the live connection stands. */
export function setConnection(connection: Session["connection"]): void {
  useSession.setState((now) => ({ connection, wasLive: now.wasLive || connection === "live" }));
}

/** How the live connection stands; "reconnecting" when it was there before. */
export function useConnection(): "quiet" | "connecting" | "live" | "reconnecting" {
  return useSession(({ connection, wasLive }) =>
    connection === "connecting" && wasLive ? "reconnecting" : connection,
  );
}
