import { ENGINES, Stage } from "@sightline/core/runs";
import { tracked } from "@trpc/server";
import { z } from "zod";
import { procedure, router } from "../../trpc.ts";

const RunId = z.object({ run_id: z.string().min(1).max(80) });
const RunIds = z.object({ run_ids: z.array(z.string().min(1).max(80)).min(1).max(200) });
const Name = z.string().trim().min(1).max(200);

const Seed = z
  .int()
  .min(0)
  .max(2 ** 31 - 1);
const Step = z.int().min(1);
const MaxRetries = z.int().min(0).max(20);

const Launch = z.object({
  launch_key: z.string().min(8).max(80),
  host_id: z.string().min(1).max(80).default("local"),
  name: Name,
  engine: z.enum(ENGINES),
  preset: z.string().min(1).max(80),
  seed: Seed,
  stages: z.array(Stage).max(50),
  settings: z.record(z.string().max(80), z.union([z.string().max(2000), z.number(), z.boolean(), z.null()])),
  max_retries: MaxRetries.default(0),
  fork: z.object({ run_id: z.string().min(1).max(80), step: Step, keeps_optimiser: z.boolean() }).nullish(),
});

/** A cell of a sweep's grid is one run. */
const hasNoDoubles = (all: readonly unknown[]) => new Set(all).size === all.length;

const Sweep = Launch.omit({ seed: true, stages: true, host_id: true, fork: true }).extend({
  schedules: z
    .array(z.object({ name: z.string().trim().min(1).max(120), stages: z.array(Stage).max(50) }))
    .min(1)
    .max(20)
    .refine((all) => hasNoDoubles(all.map(({ name }) => name)), {
      error: "Two schedules are called alike: give each a name of its own.",
    }),
  seeds: z.array(Seed).min(1).max(50).refine(hasNoDoubles, { error: "A seed is named twice." }),
  host_ids: z
    .array(z.string().min(1).max(80))
    .min(1)
    .max(20)
    .refine(hasNoDoubles, { error: "A host is named twice." }),
  is_spread: z.boolean(),
});

const SweepId = z.object({ sweep_id: z.string().min(1).max(80) });

/** A folder on a host; it is carried there as it stands. */
const FolderThere = z.string().trim().min(1, { error: "Name the folder by its path on the host." }).max(4000);

export const runsRouter = router({
  list: procedure
    .input(z.object({ trash: z.boolean().default(false) }).optional())
    .query(({ ctx, input }) => ctx.app.runs.list({ trash: input?.trash ?? false })),

  get: procedure.input(RunId).query(({ ctx, input }) => ctx.app.runs.get(input.run_id)),

  presets: procedure.query(({ ctx }) => ctx.app.runs.presets()),

  launch: procedure.input(Launch).mutation(({ ctx, input }) => ctx.app.runs.launch(input)),

  watch: procedure
    .input(z.object({ host_id: z.string().min(1).max(80), directory: FolderThere }))
    .mutation(({ ctx, input }) => ctx.app.runs.watch(input)),

  /** It goes out to a host and may take seconds, so it is a mutation. */
  findElsewhere: procedure
    .input(z.object({ host_id: z.string().min(1).max(80), folder: FolderThere }))
    .mutation(({ ctx, input }) => ctx.app.runs.findElsewhere(input)),

  stop: procedure.input(RunId).mutation(({ ctx, input }) => ctx.app.runs.stop(input.run_id)),

  checkpoint: procedure.input(RunId).mutation(({ ctx, input }) => ctx.app.runs.checkpoint(input.run_id)),

  resume: procedure.input(RunId).mutation(({ ctx, input }) => ctx.app.runs.resume(input.run_id)),

  launchSweep: procedure.input(Sweep).mutation(({ ctx, input }) => ctx.app.runs.launchSweep(input)),

  sweep: procedure.input(SweepId).query(({ ctx, input }) => ctx.app.runs.sweep(input.sweep_id)),

  stopSweep: procedure.input(SweepId).mutation(({ ctx, input }) => ctx.app.runs.stopSweep(input.sweep_id)),

  resumeSweep: procedure
    .input(SweepId)
    .mutation(({ ctx, input }) => ctx.app.runs.resumeSweep(input.sweep_id)),

  paces: procedure
    .input(z.object({ preset: z.string().min(1).max(80), host_ids: z.array(z.string().max(80)).max(50) }))
    .query(({ ctx, input }) => ctx.app.runs.paces(input.preset, input.host_ids)),

  lineage: procedure.input(RunId).query(({ ctx, input }) => ctx.app.runs.lineage(input.run_id)),

  checkpoints: procedure.input(RunId).query(({ ctx, input }) => ctx.app.runs.checkpoints(input.run_id)),

  fetchCheckpoint: procedure
    .input(
      RunId.extend({
        step: Step,
        /** Null: into the data folder. */
        to: z.object({ folder_id: z.string().max(40), path: z.string().max(2000) }).nullable(),
      }),
    )
    .mutation(({ ctx, input }) => ctx.app.runs.fetchCheckpoint(input.run_id, input.step, input.to)),

  pruneCheckpoints: procedure
    .input(RunId.extend({ steps: z.array(Step).min(1).max(10_000) }))
    .mutation(({ ctx, input }) => ctx.app.runs.pruneCheckpoints(input.run_id, input.steps)),

  queues: procedure.query(({ ctx }) => ctx.app.runs.queues()),

  moveInQueue: procedure
    .input(RunId.extend({ before_run_id: z.string().max(80).nullable() }))
    .mutation(({ ctx, input }) => ctx.app.runs.moveInQueue(input.run_id, input.before_run_id)),

  setRunsAtOnce: procedure
    .input(
      z.object({
        host_id: z.string().min(1).max(80),
        runs_at_once: z.int().min(1).max(64).nullable(),
      }),
    )
    .mutation(({ ctx, input }) => ctx.app.runs.setRunsAtOnce(input.host_id, input.runs_at_once)),

  setMaxRetries: procedure
    .input(RunId.extend({ max_retries: MaxRetries }))
    .mutation(({ ctx, input }) => ctx.app.runs.setMaxRetries(input.run_id, input.max_retries)),

  trash: procedure.input(RunIds).mutation(({ ctx, input }) => ctx.app.runs.trash(input.run_ids)),

  restore: procedure.input(RunIds).mutation(({ ctx, input }) => ctx.app.runs.restore(input.run_ids)),

  rename: procedure
    .input(RunId.extend({ name: Name }))
    .mutation(({ ctx, input }) => ctx.app.runs.rename(input.run_id, input.name)),

  window: procedure
    .input(
      RunId.extend({
        name: z.string().min(1).max(200),
        from_step: z.number(),
        to_step: z.number(),
        points: z.int().min(1).max(4000),
      }),
    )
    .query(({ ctx, input }) => ctx.app.runs.window(input)),

  overlay: procedure
    .input(
      RunIds.extend({
        names: z.array(z.string().min(1).max(200)).min(1).max(20),
        points: z.int().min(4).max(2000),
        /** A stretch of steps, or all. */
        from_step: z.number().nullable().default(null),
        to_step: z.number().nullable().default(null),
        /** Whether averages will be drawn. */
        has_means: z.boolean().default(false),
      }),
    )
    .query(({ ctx, input }) => ctx.app.runs.overlay(input)),

  completions: procedure
    .input(RunId.extend({ step: z.int() }))
    .query(({ ctx, input }) => ctx.app.runs.completions(input.run_id, input.step)),

  log: procedure
    .input(
      RunId.extend({
        attempt: z.int().min(1),
        /** Null reads the end. */
        offset: z.int().min(0).nullable().default(null),
        max_bytes: z.int().min(1).max(1_000_000).default(65_536),
      }),
    )
    .query(({ ctx, input }) => ctx.app.runs.log(input)),

  follow: procedure
    .input(
      RunIds.extend({
        /** Set by the client's own link when it connects again. */
        lastEventId: z.string().regex(/^\d+$/).nullish(),
        /** Most buckets of one metric in the opening of a long run. */
        points: z.int().min(16).max(4096).default(512),
        /** Only these metrics in the opening of a long run. */
        metrics: z.array(z.string().max(200)).max(100).nullish(),
      }),
    )
    .subscription(async function* ({ ctx, input, signal }) {
      const request = {
        run_ids: [...new Set(input.run_ids)],
        last_id: input.lastEventId ? Number(input.lastEventId) : null,
        points: input.points,
        metrics: input.metrics ?? null,
      };
      for await (const { id, batch } of ctx.app.runs.follow(
        request,
        signal ?? new AbortController().signal,
      )) {
        yield tracked(String(id), batch);
      }
    }),

  followList: procedure.subscription(async function* ({ ctx, signal }) {
    yield* ctx.app.runs.followList(signal ?? new AbortController().signal);
  }),
});
