import { ALERT_KIND_NAMES, AlertRule, findParamFaults } from "@sightline/core/alerts";
import { z } from "zod";
import { procedure, router } from "../../trpc.ts";

const RuleId = z.object({ rule_id: z.string().max(100) });
const WebhookId = z.object({ webhook_id: z.string().max(100) });
const DeliveryId = z.object({ delivery_id: z.string().max(100) });
const RunIdText = z.string().min(1).max(80);

const Cause = z
  .object({ kind: z.enum(ALERT_KIND_NAMES), params: z.record(z.string().max(40), z.number()) })
  .superRefine(({ kind, params }, { addIssue }) => {
    for (const message of findParamFaults(kind, params)) addIssue({ code: "custom", message });
  });

const Key = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{8,400}$/, {
    error: "The signing key has at least eight characters and no blanks.",
  });

export const alertsRouter = router({
  follow: procedure.subscription(async function* ({ ctx, signal }) {
    yield* ctx.app.alerts.follow(signal ?? new AbortController().signal);
  }),
  ofRun: procedure
    .input(z.object({ run_id: RunIdText }))
    .query(({ ctx, input }) => ctx.app.alerts.ofRun(input.run_id)),
  acknowledge: procedure
    .input(
      z.object({
        alert_ids: z.array(z.int().min(1)).min(1).max(1000),
        is_taken_back: z.boolean().default(false),
      }),
    )
    .mutation(({ ctx, input }) => ctx.app.alerts.acknowledge(input.alert_ids, input.is_taken_back)),

  rules: procedure.query(({ ctx }) => ctx.app.alerts.rules()),
  history: procedure.input(RuleId).query(({ ctx, input }) => ctx.app.alerts.history(input.rule_id)),
  save: procedure
    .input(
      z.object({
        rule_id: z.string().max(100).nullable(),
        rule: AlertRule,
        seen_entry_id: z.int().min(1).optional(),
      }),
    )
    .mutation(({ ctx, input }) => ctx.app.alerts.save(input.rule_id, input.rule, input.seen_entry_id)),
  remove: procedure.input(RuleId).mutation(({ ctx, input }) => ctx.app.alerts.remove(input.rule_id)),
  restore: procedure
    .input(RuleId.extend({ entry_id: z.int().min(1) }))
    .mutation(({ ctx, input }) => ctx.app.alerts.restore(input.rule_id, input.entry_id)),
  backTest: procedure
    .input(z.object({ cause: Cause, run_ids: z.array(RunIdText).min(1).max(50) }))
    .query(({ ctx, input, signal }) =>
      ctx.app.alerts.backTest(input.cause, input.run_ids, signal ?? new AbortController().signal),
    ),

  webhooks: procedure.query(({ ctx }) => ctx.app.alerts.webhooks()),
  putWebhook: procedure
    .input(
      z.object({
        webhook_id: z.string().max(100).nullable(),
        name: z.string().trim().min(1, { error: "The receiver needs a name." }).max(100),
        url: z.string().max(2000).optional(),
        key: Key.nullish(),
      }),
    )
    .mutation(({ ctx, input }) => ctx.app.alerts.putWebhook(input)),
  removeWebhook: procedure
    .input(WebhookId)
    .mutation(({ ctx, input }) => ctx.app.alerts.removeWebhook(input.webhook_id)),
  restoreWebhook: procedure
    .input(WebhookId)
    .mutation(({ ctx, input }) => ctx.app.alerts.restoreWebhook(input.webhook_id)),
  testWebhook: procedure
    .input(WebhookId)
    .mutation(({ ctx, input }) => ctx.app.alerts.testWebhook(input.webhook_id)),
  deliveries: procedure.query(({ ctx }) => ctx.app.alerts.deliveries()),
  retryDelivery: procedure
    .input(DeliveryId)
    .mutation(({ ctx, input }) => ctx.app.alerts.retryDelivery(input.delivery_id)),
});
