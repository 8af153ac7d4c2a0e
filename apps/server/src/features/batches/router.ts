import { KeyFrameSettingsSchema } from "@sightline/core/keyframes";
import { tracked } from "@trpc/server";
import { z } from "zod";
import { follow } from "../../live/follow.ts";
import { procedure, router } from "../../trpc.ts";

const BatchId = z.object({ batch_id: z.string().min(1).max(100) });
const ClipId = z.string().regex(/^[0-9a-f]{64}$/);

const Source = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("clips") }),
  z.object({ kind: z.literal("tag"), tag: z.string().trim().min(1).max(60) }),
  z.object({ kind: z.literal("all") }),
  z.object({ kind: z.literal("folder"), folder_id: z.string().max(100), path: z.string().max(4096) }),
]);

const never = () => new AbortController().signal;

export const batchesRouter = router({
  list: procedure.query(({ ctx }) => ctx.app.batches.list()),
  get: procedure.input(BatchId).query(({ ctx, input }) => ctx.app.batches.get(input.batch_id)),
  start: procedure
    .input(
      z.object({
        name: z.string().max(200),
        source: Source,
        clip_ids: z.array(ClipId).max(100_000),
        settings: KeyFrameSettingsSchema,
      }),
    )
    .mutation(({ ctx, input, signal }) => ctx.app.batches.start(input, signal ?? never())),
  startLike: procedure
    .input(BatchId.extend({ name: z.string().max(200), settings: KeyFrameSettingsSchema }))
    .mutation(({ ctx, input: { batch_id, ...draft }, signal }) =>
      ctx.app.batches.startLike(batch_id, draft, signal ?? never()),
    ),
  cancel: procedure.input(BatchId).mutation(({ ctx, input }) => ctx.app.batches.cancel(input.batch_id)),
  resume: procedure.input(BatchId).mutation(({ ctx, input }) => ctx.app.batches.resume(input.batch_id)),
  /** All that failed, or what failed of some places. */
  retry: procedure
    .input(BatchId.extend({ places: z.array(z.int().min(0)).max(100_000).nullable() }))
    .mutation(({ ctx, input }) => ctx.app.batches.retry(input.batch_id, input.places)),
  /** All batches, at once and after every change. */
  follow: procedure.subscription(async function* ({ ctx, signal }) {
    const { batches } = ctx.app;
    yield* follow(batches.bell, signal ?? never(), () => batches.list());
  }),
  /** All clips of a batch first, then those that changed. */
  followClips: procedure
    .input(BatchId.extend({ lastEventId: z.string().nullish() }))
    .subscription(async function* ({ ctx, input, signal }) {
      const { batches } = ctx.app;
      let seen = Number(input.lastEventId ?? 0);
      const read = () => {
        const clips = batches.listChanged(input.batch_id, seen);
        if (clips.length === 0) return undefined;
        seen = clips.at(-1)?.revision ?? seen;
        return clips;
      };
      for await (const clips of follow(batches.bell, signal ?? never(), read)) {
        yield tracked(String(seen), clips);
      }
    }),
  /** Clip by clip, in parts, until all have been compared. */
  compare: procedure
    .input(BatchId.extend({ against: KeyFrameSettingsSchema }))
    .subscription(async function* ({ ctx, input, signal }) {
      yield* ctx.app.batches.compare(input.batch_id, input.against, signal ?? never());
    }),
});
