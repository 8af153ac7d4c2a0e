import { lazyRouteComponent } from "@tanstack/react-router";

/** The charts with what lies under them. Its code comes when the drawer is opened, or once the charts are drawn. */
export const ChartsAndDrawer = lazyRouteComponent(() => import("./drawer.tsx"), "ChartsAndDrawer");
