import { create } from "zustand";

/** What the page knows of its server, apart from what the server said. */
type Session = {
  /** lost: the server no longer admits this browser; only the printed URL helps. */
  session: "open" | "lost";
  /** How the live streams stand; a query that fails says so where it stands. */
  connection: "connecting" | "live" | "reconnecting";
};

export const useSession = create<Session>(() => ({ session: "open", connection: "connecting" }));

export function loseSession(): void {
  useSession.setState({ session: "lost" });
}

export function setConnection(connection: Session["connection"]): void {
  if (useSession.getState().connection !== connection) useSession.setState({ connection });
}
