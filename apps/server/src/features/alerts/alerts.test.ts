import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { AlertRule } from "@sightline/core/alerts";
import Database from "better-sqlite3";
import { pino } from "pino";
import { afterEach, expect, test, vi } from "vitest";
import { startTestServer, type TestServer } from "../../testing.ts";
import { smallRun } from "../runs/testing/launch.ts";
import { endProcessesOf } from "../runs/testing/processes.ts";
import { isAllowedAddress, sign } from "./post.ts";
import { type Receiver, SECRET, startReceiver } from "./testing/receiver.ts";

/** Time enough for an answer on a busy machine: whoever answers lives in this process too. */
const quick = { timeout_ms: 5000, tries: 3, backoff_ms: 50, backoff_max_ms: 200 };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

let logged = "";
const log = pino(
  { level: "trace" },
  new Writable({
    write(chunk, _encoding, done) {
      logged += chunk;
      done();
    },
  }),
);

async function serve() {
  logged = "";
  const server = await startTestServer({ outboxPatience: quick, log });
  closers.push(async () => {
    await endProcessesOf(server.app.dataDir);
    await server.close();
  });
  await fetch(`${server.url}/trpc/health`, { headers: server.headers });
  const receiver = await startReceiver();
  closers.push(receiver.close);
  return { server, receiver, alerts: server.app.alerts };
}

const rule = (kind: AlertRule["kind"], more: Partial<AlertRule> = {}): AlertRule => ({
  name: `about ${kind}`,
  kind,
  params: {},
  scope: { kind: "all" },
  webhook_ids: [],
  ...more,
});

async function until<T>(read: () => T | Promise<T>, isMet: (value: T) => boolean): Promise<T> {
  const end = performance.now() + 120_000;
  for (;;) {
    const value = await read();
    if (isMet(value)) return value;
    if (performance.now() > end)
      throw new Error(`this did not come about: ${JSON.stringify(value)?.slice(0, 2000)}`);
    await sleep(30);
  }
}

const launch = async ({ app }: TestServer, settings: Record<string, string | number>) => {
  const { run_id } = await app.runs.launch(smallRun({ steps_per_sec: 0, ...settings }));
  return run_id;
};
const done = (server: TestServer, run_id: string) =>
  until(
    () => server.app.runs.get(run_id).run.state,
    (state) => ["done", "failed", "stopped", "interrupted"].includes(state),
  );

test("each cause that the simulator can make fires live, once, and as a back-test says", async () => {
  const { server, alerts } = await serve();
  const rules = [
    rule("non_finite"),
    rule("no_signal", { params: { window: 5, at_least: 0.9 } }),
    rule("judge_failing", { params: { window: 1, at_least: 0.5 } }),
    rule("length_drift", { params: { window: 3, factor: 1.05 } }),
    rule("saturated", { params: { window: 4, format_at_least: 0.2, accuracy_below: 1, gain_below: 1 } }),
    rule("stalled", { params: { after_secs: 5 } }),
  ];
  for (const one of rules) alerts.save(null, one);
  const run_id = await launch(server, {
    steps_per_sec: 20,
    group_size: 4,
    judge_every_groups: 1,
    faults: "nan@5 no_signal@10-20 judge_down@30-33 stall@25:9",
  });
  expect(await done(server, run_id)).toMatch(/done|failed/);
  const found = await until(
    () => alerts.ofRun(run_id),
    (all) =>
      all.every(({ ended_secs }) => ended_secs !== null) && new Set(all.map(({ kind }) => kind)).size === 6,
  );
  for (const one of rules) {
    const [test] = await alerts.backTest(one, [run_id], new AbortController().signal);
    const live = found.filter(({ kind }) => kind === one.kind).reverse();
    const pick = <T extends { episode_id: string; from_step: number; words: string }>({
      episode_id,
      from_step,
      words,
    }: T) => ({
      episode_id,
      from_step,
      words,
    });
    expect(test?.episodes.map(pick)).toEqual(live.map(pick));
    expect(test?.curve[0]?.steps.length).toBeGreaterThan(3);
  }
  expect(found.find(({ kind }) => kind === "non_finite")).toMatchObject({ from_step: 5 });
  expect(found.find(({ kind }) => kind === "stalled")?.words).toContain("Nothing was written for 5 seconds");
});

test("a rule says nothing of what was over before it was made, and is told of what goes on", async () => {
  const { server, alerts } = await serve();
  const past = await launch(server, { faults: "nan@5" });
  await done(server, past);
  const live = await launch(server, { steps_per_sec: 2, faults: "nan@3, no_signal@1-40" });
  await until(
    () => server.app.runs.get(live).run.step ?? 0,
    (step) => step >= 18,
  );
  alerts.save(null, rule("non_finite"));
  alerts.save(null, rule("no_signal", { params: { window: 5, at_least: 0.9 } }));
  await until(
    () => alerts.ofRun(live),
    (all) => all.length === 1,
  );
  await done(server, live);
  expect(alerts.ofRun(live)).toMatchObject([{ kind: "no_signal" }]);
  expect(alerts.ofRun(past)).toEqual([]);
  const tests = await alerts.backTest(rule("non_finite"), [past, live], new AbortController().signal);
  expect(tests.map(({ episodes }) => episodes.length)).toEqual([1, 1]);
});

test("rules have a history that nothing is lost of; alerts are seen by name, and not", async () => {
  const { server, alerts } = await serve();
  server.app.decisions.setSignature("Ada");
  const first = alerts.save(null, rule("non_finite"));
  const again = alerts.save(first.rule_id, rule("non_finite", { name: "again" }), first.entry_id);
  // Another tab still shows what the rule said before.
  expect(() => alerts.save(first.rule_id, rule("non_finite", { name: "stale" }), first.entry_id)).toThrow(
    "changed this rule meanwhile",
  );
  expect(alerts.history(first.rule_id)[0]).toEqual(again);
  alerts.remove(first.rule_id);
  expect(alerts.rules()).toEqual([]);
  expect(alerts.restore(first.rule_id, first.entry_id)).toMatchObject({ rule: { name: "about non_finite" } });
  expect(alerts.history(first.rule_id).map(({ rule, author }) => [rule?.name ?? null, author])).toEqual([
    ["about non_finite", "Ada"],
    [null, "Ada"],
    ["again", "Ada"],
    ["about non_finite", "Ada"],
  ]);
  expect(() => server.app.db.$client.exec("DELETE FROM alert_rule_entries")).toThrow("append-only");
  const run_id = await launch(server, { faults: "nan@5" });
  const [alert] = await until(
    () => alerts.ofRun(run_id),
    (all) => all.length === 1,
  );
  alerts.acknowledge([alert?.alert_id ?? 0], false);
  expect(alerts.ofRun(run_id)[0]?.acknowledged?.author).toBe("Ada");
  alerts.acknowledge([alert?.alert_id ?? 0], true);
  expect(alerts.ofRun(run_id)[0]?.acknowledged).toBeNull();
  await done(server, run_id);
});

/** A rule that a receiver is told of, and a run that makes it fire. */
async function fire(server: TestServer, receiver: Receiver, key: string | null = null) {
  const { alerts } = server.app;
  const { webhook_id } = alerts.putWebhook({ webhook_id: null, name: "chat", url: receiver.url, key });
  alerts.save(null, rule("non_finite", { webhook_ids: [webhook_id] }));
  const run_id = await launch(server, { faults: "nan@5" });
  await done(server, run_id);
  return { webhook_id, run_id };
}

test("a receiver is told of a firing and of its end, signed, each with an id of its own", async () => {
  const { server, receiver } = await serve();
  const { run_id } = await fire(server, receiver, "a-key-to-sign-with");
  await until(
    () => receiver.received.length,
    (n) => n === 2,
  );
  const bodies = receiver.received.map(({ body }) => JSON.parse(body));
  expect(bodies).toMatchObject([
    {
      kind: "fired",
      run: { run_id, simulated: true },
      rule: { kind: "non_finite" },
      alert: { from_step: 5 },
    },
    { kind: "ended", alert: { until_step: 5 } },
  ]);
  expect(bodies[0].text).toMatch(/^about non_finite: small, step 5\. .*= NaN/);
  for (const { headers, body } of receiver.received) {
    expect(headers["x-sightline-delivery"]).toBe(JSON.parse(body).id);
    const [, time = "", v1] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["x-sightline-signature"])) ?? [];
    expect(v1).toBe(sign("a-key-to-sign-with", Number(time), body));
  }
});

test("a receiver that fails, is silent or cuts is told again with the same id, and given up in the end", async () => {
  const { server, receiver } = await serve();
  receiver.answer.push(500, "silent");
  await fire(server, receiver);
  const deliveries = await until(
    () => server.app.alerts.deliveries(),
    (all) => all.length === 2 && all.every(({ state }) => state === "delivered"),
  );
  expect(deliveries.find(({ kind }) => kind === "fired")).toMatchObject({
    tries: 3,
    status: 200,
    problem: null,
  });
  const ids = receiver.received.map(({ headers }) => headers["x-sightline-delivery"]);
  expect(new Set(ids.slice(0, 3)).size).toBe(1);
  expect(ids).toHaveLength(4);
  expect(receiver.received[0]?.headers["x-sightline-signature"]).toBeUndefined();

  receiver.answer.push(503, 503, 503);
  const { alerts } = server.app;
  const run_id = await launch(server, { faults: "nan@6" });
  await done(server, run_id);
  const given_up = await until(
    () => alerts.deliveries().find(({ state }) => state === "failed"),
    (one) => one !== undefined,
  );
  expect(given_up).toMatchObject({ tries: 3, status: 503, problem: "The receiver failed (503)." });
  alerts.retryDelivery(given_up?.delivery_id ?? "");
  await until(
    () => alerts.deliveries().every(({ state }) => state === "delivered"),
    (all) => all,
  );
});

test("a redirect is not followed; who is gone is not told again; a test says what came of it", async () => {
  const { server, receiver } = await serve();
  const { alerts } = server.app;
  const elsewhere = await startReceiver();
  closers.push(elsewhere.close);
  const { webhook_id } = alerts.putWebhook({ webhook_id: null, name: "chat", url: receiver.url });
  const tell = async (answer: Receiver["answer"][number] | null) => {
    if (answer !== null) receiver.answer.push(answer);
    const { delivery_id } = alerts.testWebhook(webhook_id);
    return until(
      () => alerts.deliveries().find((one) => one.delivery_id === delivery_id),
      (one) => one?.state !== "waiting",
    );
  };
  expect(await tell(null)).toMatchObject({ state: "delivered", status: 200 });
  expect(await tell({ redirect: elsewhere.url })).toMatchObject({
    state: "failed",
    problem: expect.stringContaining("redirects are not followed"),
  });
  expect(await tell(410)).toMatchObject({
    state: "failed",
    tries: 1,
    problem: expect.stringContaining("nothing at this address"),
  });
  expect(await tell("silent")).toMatchObject({
    state: "failed",
    problem: "The receiver did not answer within 5 s.",
  });
  await receiver.close();
  expect(await tell(null)).toMatchObject({ state: "failed", problem: "Nothing listens there." });
  expect(elsewhere.received).toEqual([]);
});

test("the secret part of an address is in no answer, no log and not in the database", async () => {
  const { server, receiver } = await serve();
  const { alerts } = server.app;
  receiver.answer.push(500, 500, 500);
  const { webhook_id } = await fire(server, receiver, "a-key-to-sign-with");
  await until(
    () => alerts.deliveries(),
    (all) => all.some(({ state }) => state === "failed"),
  );
  for (const path of ["alerts.webhooks", "alerts.deliveries", "alerts.rules"]) {
    const answer = await fetch(`${server.url}/trpc/${path}`, { headers: server.headers });
    const text = await answer.text();
    expect(answer.status).toBe(200);
    expect(text).not.toMatch(/T0PS3CRET|a-key-to-sign/);
  }
  const put = await fetch(`${server.url}/trpc/alerts.putWebhook`, {
    method: "POST",
    headers: { ...server.headers, "content-type": "application/json" },
    body: JSON.stringify({ webhook_id: null, name: "bad", url: `ftp://host/${SECRET}` }),
  });
  expect(put.status).toBe(400);
  expect(await put.text()).not.toContain(SECRET);
  expect(logged).toContain("telling a receiver failed");
  expect(logged).not.toMatch(/T0PS3CRET|a-key-to-sign/);
  const { dataDir, db } = server.app;
  db.$client.pragma("wal_checkpoint(TRUNCATE)");
  const holders = readdirSync(dataDir).filter(
    (name) => statSync(join(dataDir, name)).isFile() && readFileSync(join(dataDir, name)).includes(SECRET),
  );
  expect(holders).toEqual(["webhook-secrets.json"]);
  expect(statSync(join(dataDir, "webhook-secrets.json")).mode & 0o777).toBe(0o600);
  // Another address takes the key away; a removed receiver leaves nothing.
  expect(alerts.putWebhook({ webhook_id, name: "chat", url: "https://example.org/x" })).toMatchObject({
    is_signed: false,
  });
  alerts.removeWebhook(webhook_id);
  expect(readFileSync(join(dataDir, "webhook-secrets.json"), "utf8").trim()).toBe("{}");
  expect(alerts.restoreWebhook(webhook_id)).toMatchObject({ has_address: false });
});

test("a receiver is not told on and on while what came of it can't be written", async () => {
  const { server, receiver, alerts } = await serve();
  const { webhook_id } = alerts.putWebhook({ webhook_id: null, name: "chat", url: receiver.url });
  const beside = new Database(join(server.app.dataDir, "sightline.db"));
  closers.push(async () => void beside.close());
  // As a full disk does.
  beside.exec(
    "CREATE TRIGGER full_disk BEFORE UPDATE ON alert_deliveries BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
  );
  const began = performance.now();
  const { delivery_id } = alerts.testWebhook(webhook_id);
  await until(
    () => receiver.received.length,
    (n) => n > 1,
  );
  await sleep(1000);
  const rests = (performance.now() - began) / quick.backoff_max_ms;
  expect(receiver.received.length).toBeLessThan(rests + 2);
  beside.exec("DROP TRIGGER full_disk");
  await until(
    () => alerts.deliveries().find((one) => one.delivery_id === delivery_id)?.state,
    (state) => state === "delivered",
  );
});

test("an alert that can't be written is raised once it can, of a silent run and of one that has ended", async () => {
  const { server, alerts } = await serve();
  alerts.save(null, rule("non_finite"));
  alerts.save(null, rule("stalled", { params: { after_secs: 6 } }));
  const beside = new Database(join(server.app.dataDir, "sightline.db"));
  closers.push(async () => void beside.close());
  // As a full disk does.
  beside.exec(
    "CREATE TRIGGER full_disk BEFORE INSERT ON alerts BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
  );
  const ended = await launch(server, { faults: "nan@5" });
  await done(server, ended);
  const silent = await launch(server, { steps_per_sec: 20, faults: "stall@10:60" });
  await until(
    () => logged,
    (text) =>
      text.includes("writing an alert of a silent run") && text.includes("looking for alerts in a run"),
  );
  expect([...alerts.ofRun(ended), ...alerts.ofRun(silent)]).toEqual([]);
  beside.exec("DROP TRIGGER full_disk");
  await until(
    () => [...alerts.ofRun(ended), ...alerts.ofRun(silent)].map(({ kind }) => kind),
    (kinds) => kinds.join() === "non_finite,stalled",
  );
});

test("a clock that is set forward makes no run silent, and one that is set back holds no receiver up", async () => {
  const { server, receiver, alerts } = await serve();
  const { webhook_id } = alerts.putWebhook({ webhook_id: null, name: "chat", url: receiver.url });
  alerts.save(null, rule("stalled", { params: { after_secs: 1800 } }));
  alerts.save(null, rule("non_finite", { webhook_ids: [webhook_id] }));
  const silent = await launch(server, { steps_per_sec: 20, faults: "stall@10:60" });
  await until(
    () => server.app.runs.get(silent).run.step ?? 0,
    (step) => step >= 9,
  );
  const setClock = setClockForward(3 * 3600);
  // Long enough for the keeper of runs, and the watch of alerts, to look twice.
  await sleep(4500);
  expect(server.app.runs.get(silent).run.state).toBe("running");
  expect(alerts.ofRun(silent)).toEqual([]);

  receiver.answer.push(503, 503);
  await launch(server, { faults: "nan@5" });
  await until(
    () => alerts.deliveries(),
    (all) => all.some(({ tries }) => tries > 0),
  );
  setClock.mockRestore();
  await until(
    () => alerts.deliveries(),
    (all) => all.length > 0 && all.every(({ state }) => state === "delivered"),
  );
});

function setClockForward(secs: number) {
  const now = Date.now;
  const spy = vi.spyOn(Date, "now").mockImplementation(() => now() + secs * 1000);
  closers.push(async () => void spy.mockRestore());
  return spy;
}

test("alerts go to allowed targets alone", async () => {
  const { alerts } = await serve();
  const put = (url: string) => () => alerts.putWebhook({ webhook_id: null, name: "x", url });
  for (const url of [
    "http://example.org/x",
    "http://10.0.0.1/x",
    "https://169.254.169.254/latest",
    "http://169.254.169.254/latest",
    "https://[fe80::1]/",
    "https://0.0.0.0/",
    "https://[::ffff:169.254.169.254]/",
    "http://0x7f.1.2.3.4/",
    "https://me:secret@example.org/",
    "file:///etc/passwd",
    "x",
  ])
    expect(put(url), url).toThrow();
  for (const url of [
    "https://hooks.example.org/a",
    "http://127.0.0.1:1/a",
    "http://localhost:1/",
    "https://10.0.0.1/",
  ])
    expect(put(url), url).not.toThrow();
  expect(isAllowedAddress("10.1.2.3", "http:")).toBe(false);
  expect(isAllowedAddress("::1", "http:")).toBe(true);
});

test("a rule that is changed while its cause goes on tells nobody twice", async () => {
  const { server, receiver, alerts } = await serve();
  const { webhook_id } = alerts.putWebhook({ webhook_id: null, name: "chat", url: receiver.url });
  const wanted = (window: number) =>
    rule("no_signal", { params: { window, at_least: 0.9 }, webhook_ids: [webhook_id] });
  const { rule_id } = alerts.save(null, wanted(5));
  const run_id = await launch(server, { steps_per_sec: 3, faults: "no_signal@1-40" });
  await until(
    () => receiver.received.length,
    (n) => n === 1,
  );
  alerts.save(rule_id, wanted(6));
  await until(
    () => alerts.ofRun(run_id),
    (all) => all.length === 2 && all[0]?.ended_secs === null && all[1]?.ended_secs !== null,
  );
  await done(server, run_id);
  await until(
    () => receiver.received.map(({ body }) => JSON.parse(body).kind),
    (kinds) => kinds.length === 2,
  );
  expect(receiver.received.map(({ body }) => JSON.parse(body).kind)).toEqual(["fired", "ended"]);
});
