import { useMediaQuery } from "@mantine/hooks";
import { Children, Fragment, type ReactElement, type ReactNode } from "react";
import { Group, Panel, Separator, useDefaultLayout } from "react-resizable-panels";
import classes from "./pane.module.css";

const LEAST_PX = 120;

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
 * Panes side by side (or one above the other) whose boundaries can be dragged; sizes are remembered. Where those above
 * each other have less than their smallest heights together, the group scrolls.
 *
 * @param id  Names the group in the browser's storage.
 * @param stacks_below  In a window narrower than this, in pixels, the panes stand below each other as long as what they
 *   hold, and scroll as one; never when left out.
 */
export function PaneGroup({
  id,
  direction = "horizontal",
  stacks_below = 0,
  children,
}: {
  id: string;
  direction?: "horizontal" | "vertical";
  stacks_below?: number;
  children: ReactElement<PaneProps> | (ReactElement<PaneProps> | null | false)[];
}) {
  const panes = Children.toArray(children) as ReactElement<PaneProps>[];
  const layout = useDefaultLayout({
    id: `sightline-panes-${id}`,
    panelIds: panes.map((pane) => pane.props.id),
    storage: localStorage,
  });
  const isStacked = useMediaQuery(`(max-width: ${stacks_below - 1}px)`, false, {
    getInitialValueInEffect: false,
  });
  if (isStacked)
    return (
      <div className={classes.stack}>
        {panes.map((pane) => (
          <div key={pane.props.id}>{pane.props.children}</div>
        ))}
      </div>
    );
  const least = panes.reduce((sum, pane) => sum + (pane.props.min ?? LEAST_PX), 0);
  return (
    <Group
      id={id}
      orientation={direction}
      className={classes.group}
      style={direction === "vertical" ? { minHeight: least } : undefined}
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
            minSize={pane.props.min ?? LEAST_PX}
          >
            {pane.props.children}
          </Panel>
        </Fragment>
      ))}
    </Group>
  );
}
