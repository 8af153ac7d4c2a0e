import { spotlight } from "@mantine/spotlight";
import { Outlet } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { StartBatch } from "./batches/start-batch.tsx";
import { ConnectionBanner } from "./connection.tsx";
import { useExchange } from "./exchange/exchange.ts";
import { Foot } from "./foot.tsx";
import { holdTyping } from "./hold-typing.ts";
import { useKeys } from "./keys.ts";
import { KeysHelp, showKeys } from "./keys-help.tsx";
import { Palette } from "./palette.tsx";
import { Rail } from "./rail.tsx";
import { useSession } from "./session.ts";
import { SessionLost } from "./session-lost.tsx";
import classes from "./shell.module.css";
import { TopBar } from "./top-bar.tsx";

const ExchangeDialogs = lazy(() =>
  import("../features/exchange/index.tsx").then((feature) => ({ default: feature.ExchangeDialogs })),
);

/** The frame around every page: rail, top bar, the page itself, and the foot. */
export function Shell() {
  const isLost = useSession((state) => state.session === "lost");
  return isLost ? <SessionLost /> : <Frame />;
}

function Frame() {
  const has_exchange = useExchange(({ dialog }) => dialog !== null);
  useKeys("Everywhere", [
    {
      key: "mod+K",
      label: "Find anything",
      run: () => {
        holdTyping();
        spotlight.toggle();
      },
      isEverywhere: true,
    },
    { key: "?", label: "Show these keys", run: showKeys },
  ]);
  return (
    <div className={classes.shell}>
      <Rail />
      <div className={classes.body}>
        <div>
          <TopBar />
          <ConnectionBanner />
        </div>
        <main className={classes.page}>
          <Outlet />
        </main>
        <Foot />
      </div>
      <Palette />
      {has_exchange && (
        <Suspense>
          <ExchangeDialogs />
        </Suspense>
      )}
      <KeysHelp />
      <StartBatch />
    </div>
  );
}
