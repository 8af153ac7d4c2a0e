import { tracked } from "@trpc/server";
import { z } from "zod";
import { follow } from "../../live/follow.ts";
import { procedure, router } from "../../trpc.ts";

const ClipId = z.object({
  clip_id: z.string().regex(/^[0-9a-f]{64}$/, { error: "A clip is named by its content hash." }),
});
const ClipIds = z.object({ clip_ids: z.array(ClipId.shape.clip_id).min(1).max(5000) });
const Path = z.string().max(4096);

export const clipsRouter = router({
  list: procedure
    .input(z.object({ trash: z.boolean().optional() }).optional())
    .query(({ ctx, input }) => ctx.app.clips.library.list({ trash: input?.trash ?? false })),
  get: procedure.input(ClipId).query(({ ctx, input }) => ctx.app.clips.library.get(input.clip_id)),
  sampleTable: procedure
    .input(ClipId)
    .query(({ ctx, input }) => ctx.app.clips.library.getSampleTable(input.clip_id)),
  /** All clips first, trash included, then those that changed. */
  follow: procedure
    .input(z.object({ lastEventId: z.string().nullish() }).optional())
    .subscription(async function* ({ ctx, input, signal }) {
      const { library } = ctx.app.clips;
      let seen = Number(input?.lastEventId ?? -1);
      const read = () => {
        const { clips, revision } = library.listChanged(seen);
        if (clips.length === 0) return undefined;
        seen = revision;
        return clips;
      };
      for await (const clips of follow(library.bell, signal ?? new AbortController().signal, read)) {
        yield tracked(String(seen), clips);
      }
    }),
  rename: procedure
    .input(ClipId.extend({ name: z.string().trim().min(1).max(200) }))
    .mutation(({ ctx, input }) => ctx.app.clips.library.rename(input.clip_id, input.name)),
  setTags: procedure
    .input(ClipId.extend({ tags: z.array(z.string().trim().min(1).max(60)).max(50) }))
    .mutation(({ ctx, input }) => ctx.app.clips.library.setTags(input.clip_id, input.tags)),
  setFieldOfView: procedure
    .input(ClipId.extend({ field_of_view_deg: z.number().min(20).max(150).nullable() }))
    .mutation(({ ctx, input }) =>
      ctx.app.clips.library.setFieldOfView(input.clip_id, input.field_of_view_deg),
    ),
  trash: procedure.input(ClipIds).mutation(({ ctx, input }) => ctx.app.clips.library.trash(input.clip_ids)),
  restore: procedure
    .input(ClipIds)
    .mutation(({ ctx, input }) => ctx.app.clips.library.restore(input.clip_ids)),
  weighTrash: procedure.query(({ ctx }) => ctx.app.clips.library.weighTrash()),
  emptyTrash: procedure
    .input(z.object({ clip_ids: z.array(ClipId.shape.clip_id).max(100_000) }))
    .mutation(({ ctx, input }) => ctx.app.clips.library.emptyTrash(input.clip_ids)),
  undo: procedure.mutation(({ ctx }) => ctx.app.clips.library.undo()),
  makeProxy: procedure
    .input(ClipId)
    .mutation(({ ctx, input }) => ctx.app.clips.library.wantProxy(input.clip_id)),
  folders: procedure.query(({ ctx }) => ctx.app.clips.folders.list()),
  browse: procedure
    .input(z.object({ folder_id: z.string(), path: Path }))
    .query(({ ctx, input }) => ctx.app.clips.folders.browse(input.folder_id, input.path)),
  addFromFolder: procedure
    .input(z.object({ folder_id: z.string(), paths: z.array(Path).min(1).max(1000) }))
    .mutation(({ ctx, input }) => ctx.app.clips.addFromFolder(input.folder_id, input.paths)),
});
