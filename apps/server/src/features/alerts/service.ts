import { randomUUID } from "node:crypto";
import {
  type Alert,
  type AlertCause,
  type AlertDelivery,
  type AlertRule,
  type AlertRuleEntry,
  type AlertsNow,
  alertCurve,
  type BackTest,
  backTest,
  type StandingRule,
  selectPoints,
  type Webhook,
} from "@sightline/core/alerts";
import type { RunSummary } from "@sightline/core/runs";
import { TRPCError } from "@trpc/server";
import type { Logger } from "pino";
import type { Secrets } from "../../data-folder/secrets.ts";
import { createBell, follow } from "../../live/follow.ts";
import type { Runs } from "../runs/service.ts";
import { createOutbox, keyName, OUTBOX_PATIENCE, type OutboxPatience, urlName } from "./outbox.ts";
import { createPoints } from "./points.ts";
import { ALLOWED_TARGETS, findAddressFault } from "./post.ts";
import type { AlertRow, AlertStore, WebhookRow } from "./store.ts";
import { createWatch } from "./watch.ts";

/** What a person says of a receiver. */
export type WebhookDraft = {
  /** Null for a new one. */
  webhook_id: string | null;
  name: string;
  /** The whole address; undefined leaves it as it is. It never comes back. */
  url?: string | undefined;
  /** Undefined leaves the signing key as it is, null sends plain. */
  key?: string | null | undefined;
};

/** Rules over the numbers of runs, what they found, and who is told. */
export type Alerts = {
  /** At once and after each change, at most five times a second. */
  follow(signal: AbortSignal): AsyncGenerator<AlertsNow>;
  /** All of a run, newest first. */
  ofRun(run_id: string): Alert[];
  /** Says that somebody has seen alerts, or takes that back. */
  acknowledge(alert_ids: readonly number[], is_taken_back: boolean): void;
  rules(): StandingRule[];
  /** Every entry of a rule, newest first. */
  history(rule_id: string): AlertRuleEntry[];
  /**
   * Null makes a new rule.
   *
   * @param seen_entry_id  The entry that was changed; where another has come since, nothing is written.
   */
  save(rule_id: string | null, rule: AlertRule, seen_entry_id?: number): StandingRule;
  remove(rule_id: string): void;
  /** Writes what an earlier entry said anew. */
  restore(rule_id: string, entry_id: number): StandingRule;
  /** Where a cause would have fired, run by run. */
  backTest(cause: AlertCause, run_ids: readonly string[], signal: AbortSignal): Promise<BackTest[]>;
  webhooks(): { webhooks: Webhook[]; allowed: string };
  /** Another address takes the key away, unless a new one comes with it. */
  putWebhook(draft: WebhookDraft): Webhook;
  /** Takes a receiver, its address and its key away; it can come back, without them. */
  removeWebhook(webhook_id: string): void;
  restoreWebhook(webhook_id: string): Webhook;
  /** Tells a receiver something of no meaning; what comes of it stands in the deliveries. */
  testWebhook(webhook_id: string): { delivery_id: string };
  /** The newest ones, newest first. */
  deliveries(): AlertDelivery[];
  /** Tells anew what was given up. */
  retryDelivery(delivery_id: string): void;
  start(): void;
  close(): Promise<void>;
};

const CURVE_POINTS = 240;

export function createAlertService(parts: {
  store: AlertStore;
  /** Addresses and signing keys of receivers. */
  secrets: Secrets;
  runs: Runs;
  log: Logger;
  /** Whose hand it is. */
  getAuthor(): string;
  /** Another one for tests. */
  patience?: OutboxPatience | undefined;
}): Alerts {
  const { store, secrets, runs, log, getAuthor } = parts;
  const bell = createBell();
  const points = createPoints(runs);
  const outbox = createOutbox({
    store,
    secrets,
    log,
    patience: parts.patience ?? OUTBOX_PATIENCE,
    onChange: bell.ring,
  });
  const now = () => Date.now() / 1000;

  const watch = createWatch({
    store,
    runs,
    points,
    log,
    onAlert(kind, alert, rule, run) {
      for (const webhook_id of rule.rule.webhook_ids) {
        if (store.getWebhook(webhook_id)?.removed_secs !== null) continue;
        addDelivery(webhook_id, kind, alert.alert_id, describe(kind, alert, rule, run));
      }
    },
    onChange() {
      bell.ring();
      outbox.wake();
    },
  });

  const addDelivery = (
    webhook_id: string,
    kind: AlertDelivery["kind"],
    alert_id: number | null,
    content: object,
  ): string => {
    const delivery_id = randomUUID();
    store.addDelivery({
      delivery_id,
      webhook_id,
      alert_id,
      kind,
      body: JSON.stringify({ id: delivery_id, sent_by: "sightline", kind, ...content }),
      created_secs: now(),
      state: "waiting",
      tries: 0,
      next_secs: 0,
      tried_secs: null,
      status: null,
      problem: null,
    });
    return delivery_id;
  };

  const foundRule = (rule_id: string): AlertRuleEntry[] => {
    const history = store.history(rule_id);
    if (history.length === 0) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such rule." });
    return history;
  };
  const append = (rule_id: string, rule: AlertRule | null): AlertRuleEntry => {
    const entry = store.addEntry({ rule_id, rule, author: getAuthor(), made_secs: now() });
    watch.lookAgain();
    bell.ring();
    return entry;
  };
  const checkReceivers = ({ webhook_ids }: AlertRule) => {
    for (const webhook_id of webhook_ids) foundWebhook(webhook_id);
  };
  const foundWebhook = (webhook_id: string): WebhookRow => {
    const row = store.getWebhook(webhook_id);
    if (!row) throw new TRPCError({ code: "NOT_FOUND", message: "There is no such receiver." });
    return row;
  };
  const show = ({ webhook_id, name, origin }: WebhookRow): Webhook => ({
    webhook_id,
    name,
    origin,
    is_signed: secrets.get(keyName(webhook_id)) !== null,
    has_address: secrets.get(urlName(webhook_id)) !== null,
  });
  const forget = (webhook_id: string) => {
    secrets.set(keyName(webhook_id), null);
    secrets.set(urlName(webhook_id), null);
  };

  return {
    follow: (signal) => follow(bell, signal, () => ({ alerts: store.alerts(), unseen: store.unseen() })),
    ofRun: (run_id) => store.alertsOf(run_id),
    acknowledge(alert_ids, is_taken_back) {
      const author = getAuthor();
      const made_secs = now();
      store.durably(() => {
        for (const alert_id of alert_ids)
          if (store.getAlert(alert_id)) store.addAck({ alert_id, is_taken_back, author, made_secs });
      });
      bell.ring();
    },
    rules: () => store.rules(),
    history: foundRule,
    save(rule_id, rule, seen_entry_id) {
      const newest = rule_id === null ? undefined : foundRule(rule_id)[0];
      if (newest && seen_entry_id !== undefined && newest.entry_id !== seen_entry_id)
        throw new TRPCError({
          code: "CONFLICT",
          message: `${newest.author} has ${newest.rule === null ? "removed" : "changed"} this rule meanwhile, perhaps in another tab. Open it anew from the list and change it there.`,
        });
      checkReceivers(rule);
      return append(rule_id ?? randomUUID(), rule) as StandingRule;
    },
    remove(rule_id) {
      foundRule(rule_id);
      append(rule_id, null);
      const made_secs = now();
      store.durably(() => {
        for (const { run_id, episode_id, from_step } of store.open(rule_id))
          store.endAlert(rule_id, run_id, { episode_id, until_step: from_step, ended_secs: made_secs });
      });
      bell.ring();
    },
    restore(rule_id, entry_id) {
      const entry = foundRule(rule_id).find((one) => one.entry_id === entry_id);
      if (!entry?.rule)
        throw new TRPCError({
          code: "BAD_REQUEST",
          message: "This entry says nothing that could come back.",
        });
      return append(rule_id, entry.rule) as StandingRule;
    },
    async backTest(cause, run_ids, signal) {
      const tests: BackTest[] = [];
      for (const run_id of run_ids) {
        signal.throwIfAborted();
        const read = await points.read(run_id);
        const of = selectPoints(cause.kind, read);
        tests.push({
          run_id,
          episodes: backTest(cause, of, runs.attemptEnds(run_id)),
          curve: alertCurve(cause.kind, of, CURVE_POINTS),
        });
      }
      return tests;
    },
    webhooks: () => ({
      webhooks: store
        .webhooks()
        .filter(({ removed_secs }) => removed_secs === null)
        .map(show),
      allowed: ALLOWED_TARGETS,
    }),
    putWebhook({ webhook_id, name, url, key }) {
      const known = webhook_id === null ? null : foundWebhook(webhook_id);
      const address = url?.trim();
      const fault = address === undefined ? null : findAddressFault(address);
      if (fault !== null) throw new TRPCError({ code: "BAD_REQUEST", message: fault });
      if (address === undefined && known === null)
        throw new TRPCError({ code: "BAD_REQUEST", message: "A receiver needs an address." });
      const id = known?.webhook_id ?? randomUUID();
      const origin = address === undefined ? (known?.origin ?? "") : new URL(address).origin;
      // The key goes before the address changes: at no moment does the old one sign for a new receiver.
      if (address !== undefined && address !== secrets.get(urlName(id))) forget(id);
      store.putWebhook({
        webhook_id: id,
        name,
        origin,
        created_secs: known?.created_secs ?? now(),
        removed_secs: null,
      });
      if (address !== undefined) secrets.set(urlName(id), address);
      if (key !== undefined) secrets.set(keyName(id), key);
      return show(foundWebhook(id));
    },
    removeWebhook(webhook_id) {
      const row = foundWebhook(webhook_id);
      forget(webhook_id);
      store.putWebhook({ ...row, removed_secs: now() });
      for (const { delivery_id } of store.waitingDeliveries(webhook_id))
        store.changeDelivery(delivery_id, { state: "failed", problem: "The receiver was removed." });
      bell.ring();
    },
    restoreWebhook(webhook_id) {
      store.putWebhook({ ...foundWebhook(webhook_id), removed_secs: null });
      return show(foundWebhook(webhook_id));
    },
    testWebhook(webhook_id) {
      foundWebhook(webhook_id);
      const text = "A test from Sightline: alerts will look like this.";
      const delivery_id = addDelivery(webhook_id, "test", null, { text });
      bell.ring();
      outbox.wake();
      return { delivery_id };
    },
    deliveries: () => store.newestDeliveries(),
    retryDelivery(delivery_id) {
      if (store.getDelivery(delivery_id)?.state !== "failed")
        throw new TRPCError({ code: "BAD_REQUEST", message: "Only what was given up can be told anew." });
      store.changeDelivery(delivery_id, { state: "waiting", tries: 0, next_secs: 0 });
      bell.ring();
      outbox.wake();
    },
    start() {
      watch.start();
      outbox.wake();
    },
    async close() {
      await watch.close();
      await outbox.close();
    },
  };
}

/** What a receiver is told of an alert. `text` is what chat servers show. */
function describe(
  kind: "fired" | "ended",
  alert: AlertRow,
  { rule_id, rule }: StandingRule,
  run: RunSummary,
): object {
  const { alert_id, attempt, from_step, fired_secs, words, until_step, ended_secs } = alert;
  return {
    text:
      kind === "fired"
        ? `${rule.name}: ${run.name}, step ${from_step}. ${words}`
        : `${rule.name} is over: ${run.name}, after step ${until_step ?? from_step}.`,
    rule: { rule_id, name: rule.name, kind: rule.kind },
    run: { run_id: run.run_id, name: run.name, preset: run.preset, simulated: run.simulated },
    alert: { alert_id, attempt, from_step, fired_secs, words, until_step, ended_secs },
    path: `/runs/${encodeURIComponent(run.run_id)}?step=${from_step}`,
  };
}
