import { localStorageColorSchemeManager, MantineProvider } from "@mantine/core";
import { ModalsProvider } from "@mantine/modals";
import { Notifications } from "@mantine/notifications";
import { cssVariablesResolver, theme } from "@sightline/ui/theme";
import { QueryClientProvider } from "@tanstack/react-query";
import { type AnyRouter, RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./clients.ts";
import classes from "./shell.module.css";

export { NotFoundPage } from "./not-found.tsx";
export { PageError } from "./page-error.tsx";
export { Shell } from "./shell.tsx";

const colorScheme = localStorageColorSchemeManager({ key: "sightline-color-scheme" });

/** Draws the pages of a router into an element. */
export function draw(router: AnyRouter, root: HTMLElement): void {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        colorSchemeManager={colorScheme}
        defaultColorScheme="auto"
      >
        <QueryClientProvider client={queryClient}>
          <ModalsProvider>
            <Notifications position="bottom-right" limit={4} classNames={{ root: classes.notifications }} />
            <RouterProvider router={router} />
          </ModalsProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
