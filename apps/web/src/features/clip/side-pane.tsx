import { Loader, Tabs } from "@mantine/core";
import { type ReactNode, Suspense } from "react";
import type { ClipPane, ClipPaneProps } from "../../app/clip-pane.ts";
import classes from "./side-pane.module.css";

/** The right of the clip page: key-frames, and what other features make of them, each under its tab. */
export function SidePane({
  panes,
  shown,
  onShow,
  pane_props,
  children,
}: {
  panes: readonly ClipPane[];
  /** Null for the key-frames. */
  shown: ClipPane["id"] | null;
  onShow(id: ClipPane["id"] | null): void;
  pane_props: ClipPaneProps;
  /** The key-frames. */
  children: ReactNode;
}) {
  if (panes.length === 0) return children;
  return (
    <Tabs
      value={shown ?? "key-frames"}
      onChange={(id) => onShow(panes.find((pane) => pane.id === id)?.id ?? null)}
      keepMounted={false}
      classNames={{ root: classes.root, panel: classes.panel, list: classes.list }}
    >
      <Tabs.List>
        <Tabs.Tab value="key-frames">Key-frames</Tabs.Tab>
        {panes.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="key-frames">{children}</Tabs.Panel>
      {panes.map(({ id, Pane }) => (
        <Tabs.Panel key={id} value={id}>
          <Suspense fallback={<Loader size="sm" m="md" />}>
            <Pane {...pane_props} />
          </Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
