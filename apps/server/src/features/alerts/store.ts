import type {
  Alert,
  AlertDelivery,
  AlertEpisode,
  AlertRule,
  AlertRuleEntry,
  StandingRule,
} from "@sightline/core/alerts";
import { and, asc, desc, eq, isNull } from "drizzle-orm";
import { type Db, writeDurably } from "../../db/open.ts";
import { acks, alerts, deliveries, progress, ruleEntries, webhooks } from "./tables.ts";

export type WebhookRow = typeof webhooks.$inferSelect;
export type DeliveryRow = typeof deliveries.$inferSelect;
export type AlertRow = typeof alerts.$inferSelect;

/** The only SQL of alerts, rules, receivers and what they were told. */
export type AlertStore = ReturnType<typeof createAlertStore>;

const MOST_ALERTS = 500;
const MOST_DELIVERIES = 200;

const toEntry = (row: typeof ruleEntries.$inferSelect): AlertRuleEntry => ({
  ...row,
  rule: row.rule === null ? null : (JSON.parse(row.rule) as AlertRule),
});

export function createAlertStore(db: Db) {
  const newestEntries = db.$client.prepare<[], typeof ruleEntries.$inferSelect>(
    `SELECT * FROM alert_rule_entries WHERE entry_id IN (SELECT max(entry_id) FROM alert_rule_entries GROUP BY rule_id)
     AND rule IS NOT NULL
     ORDER BY (SELECT min(entry_id) FROM alert_rule_entries f WHERE f.rule_id = alert_rule_entries.rule_id)`,
  );
  const SHOWN = `SELECT a.*, e.rule, k.author, k.made_secs FROM alerts a JOIN alert_rule_entries e USING (entry_id)
     LEFT JOIN alert_acks k ON NOT k.is_taken_back AND k.ack_id = (SELECT max(ack_id) FROM alert_acks WHERE alert_id = a.alert_id)
     WHERE NOT a.is_past`;
  type Shown = Omit<AlertRow, "is_past"> & { rule: string; author: string | null; made_secs: number | null };
  const selectAlerts = db.$client.prepare<[number], Shown>(`${SHOWN} ORDER BY a.alert_id DESC LIMIT ?`);
  const selectOfRun = db.$client.prepare<[string, number], Shown>(
    `${SHOWN} AND a.run_id = ? ORDER BY a.alert_id DESC LIMIT ?`,
  );
  const countUnseen = db.$client.prepare<[], { n: number }>(
    `SELECT count(*) AS n FROM (${SHOWN}) WHERE author IS NULL`,
  );
  const selectOldest = db.$client.prepare<[], DeliveryRow>(
    `SELECT * FROM alert_deliveries d WHERE state = 'waiting' AND (kind = 'test' OR NOT EXISTS (
       SELECT 1 FROM alert_deliveries e
       WHERE e.webhook_id = d.webhook_id AND e.state = 'waiting' AND e.kind <> 'test' AND e.rowid < d.rowid))
     ORDER BY rowid`,
  );
  const insertAlert = db.$client.prepare(
    `INSERT OR IGNORE INTO alerts (rule_id, entry_id, run_id, episode_id, attempt, from_step, fired_secs, words,
       until_step, ended_secs, is_past)
     VALUES (@rule_id, @entry_id, @run_id, @episode_id, @attempt, @from_step, @fired_secs, @words, @until_step,
       @ended_secs, @is_past)`,
  );
  const toAlert = ({ rule, author, made_secs, ...row }: Shown): Alert => {
    const { kind, name } = JSON.parse(rule) as AlertRule;
    const { alert_id, rule_id, run_id, episode_id, attempt, from_step, fired_secs, words } = row;
    return {
      alert_id,
      rule_id,
      run_id,
      episode_id,
      attempt,
      from_step,
      fired_secs,
      words,
      until_step: row.until_step,
      ended_secs: row.ended_secs,
      kind,
      rule_name: name,
      acknowledged: author === null || made_secs === null ? null : { author, made_secs },
    };
  };

  return {
    /** Runs `write` as one transaction that is on the disk when this returns. */
    durably: <T>(write: () => T): T => writeDurably(db, write),

    rules: (): StandingRule[] => newestEntries.all().map((row) => toEntry(row) as StandingRule),
    history: (rule_id: string): AlertRuleEntry[] =>
      db
        .select()
        .from(ruleEntries)
        .where(eq(ruleEntries.rule_id, rule_id))
        .orderBy(desc(ruleEntries.entry_id))
        .all()
        .map(toEntry),
    addEntry(entry: Omit<AlertRuleEntry, "entry_id">): AlertRuleEntry {
      const rule = entry.rule === null ? null : JSON.stringify(entry.rule);
      return writeDurably(db, () =>
        toEntry(
          db
            .insert(ruleEntries)
            .values({ ...entry, rule })
            .returning()
            .get(),
        ),
      );
    },

    alerts: (): Alert[] => selectAlerts.all(MOST_ALERTS).map(toAlert),
    alertsOf: (run_id: string): Alert[] => selectOfRun.all(run_id, MOST_ALERTS).map(toAlert),
    unseen: (): number => countUnseen.get()?.n ?? 0,
    getAlert: (alert_id: number): AlertRow | null =>
      db.select().from(alerts).where(eq(alerts.alert_id, alert_id)).get() ?? null,
    /** Alerts of a rule that go on in a run; in all runs without one. */
    open: (rule_id: string, run_id?: string): AlertRow[] =>
      db
        .select()
        .from(alerts)
        .where(
          and(
            eq(alerts.rule_id, rule_id),
            isNull(alerts.ended_secs),
            run_id === undefined ? undefined : eq(alerts.run_id, run_id),
          ),
        )
        .all(),
    /** @returns The alert's id; null when the episode is there already. */
    addAlert(
      of: Pick<AlertRow, "rule_id" | "entry_id" | "run_id" | "is_past">,
      episode: AlertEpisode,
    ): number | null {
      const { changes, lastInsertRowid } = insertAlert.run({
        ...of,
        ...episode,
        is_past: of.is_past ? 1 : 0,
      });
      return changes === 0 ? null : Number(lastInsertRowid);
    },
    /** @returns The alert that ended with this; null when it is unknown or had ended. */
    endAlert(
      rule_id: string,
      run_id: string,
      { episode_id, until_step, ended_secs }: Pick<AlertEpisode, "episode_id" | "until_step" | "ended_secs">,
    ): AlertRow | null {
      return (
        db
          .update(alerts)
          .set({ until_step, ended_secs })
          .where(
            and(
              eq(alerts.rule_id, rule_id),
              eq(alerts.run_id, run_id),
              eq(alerts.episode_id, episode_id),
              isNull(alerts.ended_secs),
            ),
          )
          .returning()
          .get() ?? null
      );
    },
    addAck(ack: Omit<typeof acks.$inferInsert, "ack_id">): void {
      db.insert(acks).values(ack).run();
    },

    getProgress: (rule_id: string, run_id: string) =>
      db
        .select()
        .from(progress)
        .where(and(eq(progress.rule_id, rule_id), eq(progress.run_id, run_id)))
        .get() ?? null,
    progress: () => db.select().from(progress).all(),
    setProgress(row: typeof progress.$inferSelect): void {
      const { entry_id, upto_id } = row;
      db.insert(progress)
        .values(row)
        .onConflictDoUpdate({ target: [progress.rule_id, progress.run_id], set: { entry_id, upto_id } })
        .run();
    },

    /** Removed ones too. */
    webhooks: (): WebhookRow[] => db.select().from(webhooks).orderBy(asc(webhooks.created_secs)).all(),
    getWebhook: (webhook_id: string): WebhookRow | null =>
      db.select().from(webhooks).where(eq(webhooks.webhook_id, webhook_id)).get() ?? null,
    putWebhook(row: WebhookRow): void {
      const { webhook_id: _, ...set } = row;
      writeDurably(db, () =>
        db.insert(webhooks).values(row).onConflictDoUpdate({ target: webhooks.webhook_id, set }).run(),
      );
    },

    addDelivery(row: DeliveryRow): void {
      db.insert(deliveries).values(row).run();
    },
    changeDelivery(delivery_id: string, change: Partial<DeliveryRow>): void {
      db.update(deliveries).set(change).where(eq(deliveries.delivery_id, delivery_id)).run();
    },
    getDelivery: (delivery_id: string): DeliveryRow | null =>
      db.select().from(deliveries).where(eq(deliveries.delivery_id, delivery_id)).get() ?? null,
    /**
     * The oldest one of each receiver that waits, where its time has come; and tests, which wait for nothing. Where the
     * last try is still to come, the clock was set back since: its time has come as well.
     */
    dueDeliveries: (now_secs: number): DeliveryRow[] =>
      selectOldest
        .all()
        .filter(({ next_secs, tried_secs }) => next_secs <= now_secs || (tried_secs ?? 0) > now_secs),
    /** Those of a receiver that still wait. */
    waitingDeliveries: (webhook_id: string): DeliveryRow[] =>
      db
        .select()
        .from(deliveries)
        .where(and(eq(deliveries.state, "waiting"), eq(deliveries.webhook_id, webhook_id)))
        .all(),
    newestDeliveries: (): AlertDelivery[] =>
      db
        .select()
        .from(deliveries)
        .orderBy(desc(deliveries.created_secs))
        .limit(MOST_DELIVERIES)
        .all()
        .map(({ body: _, ...row }) => row),
  };
}
