import { aboutRouter } from "./features/about/router.ts";
import { alertsRouter } from "./features/alerts/router.ts";
import { batchesRouter } from "./features/batches/router.ts";
import { clipsRouter } from "./features/clips/router.ts";
import { decisionsRouter } from "./features/decisions/router.ts";
import { endpointsRouter } from "./features/endpoints/router.ts";
import { environmentRouter } from "./features/environment/router.ts";
import { evaluationsRouter } from "./features/evaluations/router.ts";
import { exchangeRouter } from "./features/exchange/router.ts";
import { findRouter } from "./features/find/router.ts";
import { hostsRouter } from "./features/hosts/router.ts";
import { jobsRouter } from "./features/jobs/router.ts";
import { keyframesRouter } from "./features/keyframes/router.ts";
import { linksRouter } from "./features/links/router.ts";
import { policiesRouter } from "./features/policies/router.ts";
import { questionsRouter } from "./features/questions/router.ts";
import { replayRouter } from "./features/replay/router.ts";
import { runsRouter } from "./features/runs/router.ts";
import { tracesRouter } from "./features/traces/router.ts";
import { trainingRouter } from "./features/training/router.ts";
import { triplesRouter } from "./features/triples/router.ts";
import { liveRouter } from "./live/router.ts";
import { procedure, router } from "./trpc.ts";

export const appRouter = router({
  about: aboutRouter,
  alerts: alertsRouter,
  batches: batchesRouter,
  clips: clipsRouter,
  decisions: decisionsRouter,
  endpoints: endpointsRouter,
  environment: environmentRouter,
  evaluations: evaluationsRouter,
  exchange: exchangeRouter,
  find: findRouter,
  hosts: hostsRouter,
  jobs: jobsRouter,
  keyframes: keyframesRouter,
  links: linksRouter,
  live: liveRouter,
  questions: questionsRouter,
  policies: policiesRouter,
  replay: replayRouter,
  runs: runsRouter,
  traces: tracesRouter,
  training: trainingRouter,
  triples: triplesRouter,
  health: procedure.query(() => ({ ok: true })),
});

/** The only thing that the browser takes from the server. */
export type AppRouter = typeof appRouter;
