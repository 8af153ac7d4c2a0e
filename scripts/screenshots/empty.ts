import type { Shot } from "./shot.ts";

/** Pages of a folder that holds nothing yet. */
export const emptyShots: Shot[] = [
  {
    name: "library-empty",
    address: () => "/library",
    prepare: (page) => page.getByText("Drop video files here").waitFor(),
  },
  {
    name: "runs-empty",
    address: () => "/runs",
    prepare: (page) => page.getByText("No run yet").waitFor(),
  },
  {
    name: "alerts-empty",
    address: () => "/alerts",
    prepare: (page) => page.getByText("No alert yet").waitFor(),
  },
];
