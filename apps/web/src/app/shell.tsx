import { Outlet } from "@tanstack/react-router";
import { Rail } from "./rail.tsx";
import { useSession } from "./session.ts";
import { SessionLost } from "./session-lost.tsx";
import classes from "./shell.module.css";
import { TopBar } from "./top-bar.tsx";

/** The frame around every page: rail, top bar, the page itself. */
export function Shell() {
  const lost = useSession((state) => state.session === "lost");
  if (lost) return <SessionLost />;
  return (
    <div className={classes.shell}>
      <Rail />
      <div className={classes.body}>
        <TopBar />
        <main className={classes.page}>
          <Outlet />
        </main>
      </div>
    </div>
  );
}
