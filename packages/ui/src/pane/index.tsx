import { Children, Fragment, type ReactElement, type ReactNode } from "react";
import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";
import classes from "./pane.module.css";

type PaneProps = {
  /** Names the pane within its group; the remembered size hangs on it. */
  id: string;
  /** Size at the first visit, in percent of the group. */
  size?: number;
  /** Smallest size in pixels. */
  min?: number;
  children: ReactNode;
};

/** One pane of a `PaneGroup`. It only carries its properties; the group draws it. */
export function Pane({ children }: PaneProps) {
  return <>{children}</>;
}

/**
 * Panes side by side (or one above the other) whose boundaries can be dragged; sizes are remembered.
 *
 * @param id  Names the group in the browser's storage.
 */
export function PaneGroup({
  id,
  direction = "horizontal",
  children,
}: {
  id: string;
  direction?: "horizontal" | "vertical";
  children: ReactElement<PaneProps> | (ReactElement<PaneProps> | null | false)[];
}) {
  const panes = Children.toArray(children) as ReactElement<PaneProps>[];
  const layout = useDefaultLayout({
    id: `sightline-panes-${id}`,
    panelIds: panes.map((pane) => pane.props.id),
    storage: localStorage,
  });
  return (
    <Group
      id={id}
      orientation={direction}
      className={classes.group}
      defaultLayout={layout.defaultLayout}
      onLayoutChanged={layout.onLayoutChanged}
    >
      {panes.map((pane, index) => (
        <Fragment key={pane.props.id}>
          {index > 0 && <Separator className={classes.separator} />}
          <Panel
            id={pane.props.id}
            className={classes.pane}
            defaultSize={pane.props.size === undefined ? undefined : `${pane.props.size}%`}
            minSize={pane.props.min ?? 120}
          >
            {pane.props.children}
          </Panel>
        </Fragment>
      ))}
    </Group>
  );
}
