import { FindFilter } from "@sightline/core/find";
import { z } from "zod";
import { procedure, router } from "../../trpc.ts";

const RunId = z.object({ run_id: z.string().min(1).max(80) });
const CompletionId = z.object({ completion_id: z.int().min(1) });
const RemarkId = z.object({ remark_id: z.int().min(1) });
const ViewId = z.object({ view_id: z.int().min(1) });

export const findRouter = router({
  list: procedure
    .input(
      RunId.extend({
        filter: FindFilter,
        offset: z.int().min(0).default(0),
        limit: z.int().min(1).max(200).default(100),
      }),
    )
    .query(({ ctx, input }) => ctx.app.find.list(input)),
  get: procedure.input(CompletionId).query(({ ctx, input }) => ctx.app.find.get(input.completion_id)),
  question: procedure
    .input(
      z.object({
        run_ids: z.array(z.string().min(1).max(80)).min(1).max(120),
        question_id: z.string().min(1).max(500),
      }),
    )
    .query(({ ctx, input }) => ctx.app.find.question(input.run_ids, input.question_id)),
  tags: procedure.input(RunId).query(({ ctx, input }) => ctx.app.find.tags(input.run_id)),
  note: procedure
    .input(CompletionId.extend({ text: z.string().trim().min(1).max(10_000) }))
    .mutation(({ ctx, input }) => ctx.app.find.remark(input.completion_id, "note", input.text)),
  tag: procedure
    .input(CompletionId.extend({ text: z.string().trim().min(1).max(60) }))
    .mutation(({ ctx, input }) => ctx.app.find.remark(input.completion_id, "tag", input.text)),
  undo: procedure.input(RemarkId).mutation(({ ctx, input }) => ctx.app.find.undo(input.remark_id)),
  redo: procedure.input(RemarkId).mutation(({ ctx, input }) => ctx.app.find.redo(input.remark_id)),
  views: procedure.query(({ ctx }) => ctx.app.find.views()),
  saveView: procedure
    .input(
      z.object({
        name: z.string().trim().min(1).max(100),
        filter: FindFilter,
        /** Whether it takes the place of a view of that name; without, such a name is refused. */
        replaces: z.boolean().default(false),
      }),
    )
    .mutation(({ ctx, input }) => ctx.app.find.saveView(input)),
  removeView: procedure.input(ViewId).mutation(({ ctx, input }) => ctx.app.find.removeView(input.view_id)),
  restoreView: procedure
    .input(ViewId.extend({ instead_of: ViewId.shape.view_id.nullable().default(null) }))
    .mutation(({ ctx, input }) => ctx.app.find.restoreView(input)),
});
