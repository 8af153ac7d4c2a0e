import { FindFilter } from "@sightline/core/find";
import { FLIPS } from "@sightline/core/replay";
import { X_KINDS } from "@sightline/core/runs";
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { z } from "zod";
import { openRun } from "../features/runs/run/open-run.ts";
import { settingsSearch, triedSearch } from "./settings-search.ts";

const rootRoute = createRootRoute({
  component: lazyRouteComponent(() => import("./draw.tsx"), "Shell"),
  notFoundComponent: lazyRouteComponent(() => import("./draw.tsx"), "NotFoundPage"),
});

const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/library" });
  },
});

/** Search parameters fall back one by one: a mistyped URL opens the page, not an error. */
const librarySearch = z.object({
  q: z.string().optional().catch(undefined),
  tag: z.string().optional().catch(undefined),
  sort: z.enum(["added", "name", "duration", "size"]).optional().catch(undefined),
  order: z.enum(["asc", "desc"]).optional().catch(undefined),
  view: z.enum(["grid", "list"]).optional().catch(undefined),
  trash: z.boolean().optional().catch(undefined),
});

const libraryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/library",
  validateSearch: librarySearch,
  component: lazyRouteComponent(() => import("../features/library/index.tsx"), "LibraryPage"),
});

/**
 * `frame`: the 0-based ordinal on screen. `preset`: its key-frame settings, changed by what follows; else those last
 * saved. `try`: what is tried in place of those. `version`: of these key-frames, as people corrected them; else the
 * newest. `tab`: the pane beside the player; `question`, `triples`, `trace`: what it shows, by id; `against`: the set
 * that the triples are compared with.
 */
const clipSearch = z.object({
  frame: z.number().int().nonnegative().optional().catch(undefined),
  ...settingsSearch,
  try: triedSearch,
  version: z.number().int().nonnegative().optional().catch(undefined),
  tab: z.enum(["triples", "ask"]).optional().catch(undefined),
  question: z.string().optional().catch(undefined),
  triples: z.string().optional().catch(undefined),
  against: z.string().optional().catch(undefined),
  trace: z.string().optional().catch(undefined),
});

const clipRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/clips/$clipId",
  validateSearch: clipSearch,
  component: lazyRouteComponent(() => import("./clip-route.tsx"), "ClipRoute"),
});

const twoSettings = z.object(settingsSearch).optional().catch(undefined);

/** `a`, `b`: the settings that are compared; `frame`: the 0-based ordinal that is looked at. */
const compareSettingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/clips/$clipId/compare-settings",
  validateSearch: z.object({
    a: twoSettings,
    b: twoSettings,
    frame: z.number().int().nonnegative().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import("../features/clip/compare/index.tsx"), "CompareSettingsPage"),
});

const batchesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/batches",
  component: lazyRouteComponent(() => import("../features/batches/index.tsx"), "BatchesPage"),
});

/** `state`, `q`: which clips are listed; `against`: the settings that the batch is compared with. */
const batchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/batches/$batchId",
  validateSearch: z.object({
    state: z.enum(["waiting", "working", "done", "there", "failed"]).optional().catch(undefined),
    q: z.string().optional().catch(undefined),
    tab: z.enum(["compare"]).optional().catch(undefined),
    against: z.object(settingsSearch).optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import("../features/batches/index.tsx"), "BatchPage"),
});

const questionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/questions",
  validateSearch: z.object({ trash: z.boolean().optional().catch(undefined) }),
  component: lazyRouteComponent(() => import("../features/questions/index.tsx"), "QuestionsPage"),
});

/** `q`, `task`, `match`, `side`, `trash`: which questions are listed; `question`: the one that is open, by id. */
const questionSetSearch = z.object({
  q: z.string().optional().catch(undefined),
  task: z.string().optional().catch(undefined),
  match: z.enum(["matched", "ambiguous", "unmatched", "none"]).optional().catch(undefined),
  side: z.enum(["train", "val", "test"]).optional().catch(undefined),
  trash: z.boolean().optional().catch(undefined),
  question: z.string().optional().catch(undefined),
  tab: z.enum(["clips", "split"]).optional().catch(undefined),
});

const questionSetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/questions/$setId",
  validateSearch: questionSetSearch,
  component: lazyRouteComponent(() => import("../features/questions/index.tsx"), "QuestionSetPage"),
});

const runsSearch = z.object({
  q: z.string().optional().catch(undefined),
  trash: z.boolean().optional().catch(undefined),
});

const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs",
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import("../features/runs/list/runs-page.tsx"), "RunsPage"),
});

const launchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/launch",
  validateSearch: z.object({
    /** Names the draft: a second tab of the same draft launches the same run. */
    draft: z.uuid().optional().catch(undefined),
    preset: z.string().optional().catch(undefined),
    /** The run whose checkpoint after `step` a new one begins from. */
    fork: z.string().optional().catch(undefined),
    step: z.number().int().positive().optional().catch(undefined),
    /** The run whose schedule is laid beside the drawn one. */
    against: z.string().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import("../features/runs/launch/launch-page.tsx"), "LaunchPage"),
});

const queueRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/queue",
  component: lazyRouteComponent(() => import("../features/runs/queue/queue-page.tsx"), "QueuePage"),
});

const alertsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/alerts",
  validateSearch: z.object({ tab: z.enum(["rules", "receivers"]).optional().catch(undefined) }),
  component: lazyRouteComponent(() => import("../features/alerts/index.tsx"), "AlertsPage"),
});

/** `new` is a rule that is still to be made; `run`: the one that it is meant for. */
const alertRuleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/alerts/rules/$ruleId",
  validateSearch: z.object({ run: z.string().max(80).optional().catch(undefined) }),
  component: lazyRouteComponent(() => import("../features/alerts/index.tsx"), "RulePage"),
});

const sweepRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/sweeps/$sweepId",
  component: lazyRouteComponent(() => import("../features/runs/sweep/sweep-page.tsx"), "SweepPage"),
});

/**
 * `step`, `group`: what is open below the charts; `from`, `to`: the zoomed window, in steps; `smooth`: in [0, 1);
 * `x`: what the x axis counts; `with`: runs that are drawn beside it; `find`: which completions are asked for; `trace`: the one of them that is open, by id.
 */
const runSearch = z.object({
  step: z.number().int().nonnegative().optional().catch(undefined),
  group: z.string().optional().catch(undefined),
  from: z.number().optional().catch(undefined),
  to: z.number().optional().catch(undefined),
  tab: z.string().optional().catch(undefined),
  smooth: z.number().min(0).max(0.999).optional().catch(undefined),
  x: z.enum(X_KINDS).optional().catch(undefined),
  with: z.array(z.string().max(80)).max(120).optional().catch(undefined),
  find: FindFilter.optional().catch(undefined),
  trace: z.number().int().positive().optional().catch(undefined),
});

const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$runId",
  validateSearch: runSearch,
  // What it shows first is asked for before its code is.
  beforeLoad({ cause, params, search }) {
    if (cause === "enter") openRun(params.runId, search);
  },
  component: lazyRouteComponent(() => import("./run-route.tsx"), "RunRoute"),
});

/**
 * `k`: the completion that is open in the inspector; `against`: the one that the others are held against; `order`: by
 * number, where not by advantage.
 */
const groupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$runId/groups/$attempt/$step/$groupId",
  validateSearch: z.object({
    k: z.number().int().nonnegative().optional().catch(undefined),
    against: z.number().int().nonnegative().optional().catch(undefined),
    order: z.enum(["k"]).optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import("./group-route.tsx"), "GroupRoute"),
});

/** `replay`: the one that is open; `flip`, `task`: which of its flipped completions are listed; `trace`: the one that is open. */
const replayRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$runId/replay",
  validateSearch: z.object({
    replay: z.string().max(80).optional().catch(undefined),
    flip: z.enum(FLIPS).optional().catch(undefined),
    task: z.string().optional().catch(undefined),
    trace: z.number().int().positive().optional().catch(undefined),
  }),
  component: lazyRouteComponent(() => import("../features/runs/run/replay/index.tsx"), "ReplayPage"),
});

/** `second`: the run that is drawn beside it in figure e, by id. */
const figuresRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$runId/figures",
  validateSearch: z.object({ second: z.string().max(80).optional().catch(undefined) }),
  component: lazyRouteComponent(() => import("../features/runs/run/figures/index.tsx"), "FiguresPage"),
});

/** `evaluation`: the one that is open; `with`: one held against it; `task`, `rows`: which of its questions are listed. */
const evaluateSearch = z.object({
  evaluation: z.string().optional().catch(undefined),
  with: z.string().optional().catch(undefined),
  task: z.string().optional().catch(undefined),
  rows: z.enum(["all", "right", "wrong", "left out"]).optional().catch(undefined),
});

const evaluateRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/evaluate",
  validateSearch: evaluateSearch,
  component: lazyRouteComponent(() => import("../features/evaluate/index.tsx"), "EvaluatePage"),
});

const hostsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/hosts",
  component: lazyRouteComponent(() => import("../features/hosts/index.tsx"), "HostsPage"),
});

const attachRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/hosts/attach",
  component: lazyRouteComponent(() => import("../features/hosts/index.tsx"), "AttachPage"),
});

/** `act`: what is being done with the host. */
const hostRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/hosts/$hostId",
  validateSearch: z.object({ act: z.enum(["rename", "watch"]).optional().catch(undefined) }),
  component: lazyRouteComponent(() => import("../features/hosts/index.tsx"), "HostPage"),
});

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("../features/settings/index.tsx"), "SettingsPage"),
});

/** Every page has a URL that holds what it shows; a feature reads it with `getRouteApi("/clips/$clipId")`. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    indexRoute,
    libraryRoute,
    clipRoute,
    compareSettingsRoute,
    batchesRoute,
    batchRoute,
    questionsRoute,
    questionSetRoute,
    runsRoute,
    launchRoute,
    queueRoute,
    sweepRoute,
    alertsRoute,
    alertRuleRoute,
    runRoute,
    replayRoute,
    figuresRoute,
    groupRoute,
    evaluateRoute,
    hostsRoute,
    attachRoute,
    hostRoute,
    settingsRoute,
  ]),
  defaultPreload: "intent",
  defaultErrorComponent: lazyRouteComponent(() => import("./draw.tsx"), "PageError"),
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
