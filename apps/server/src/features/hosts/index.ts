import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  checkHost,
  type HostEnvironment,
  type HostFacts,
  type HostState,
  type NoFacts,
} from "@sightline/core/hosts";
import { TRPCError } from "@trpc/server";
import type { Logger } from "pino";
import type { Db } from "../../db/open.ts";
import { type Elsewhere, type Executor, UnreachableError } from "../../executors/executor.ts";
import { createLocalExecutor, NoPythonError } from "../../executors/local.ts";
import type { SlctlExecutor } from "../../executors/slctl/index.ts";
import { createSsh, SshError } from "../../executors/ssh/index.ts";
import { createBell, follow } from "../../live/follow.ts";
import type { Jobs } from "../jobs/tray.ts";
import { createHostHistory } from "./history.ts";
import { createPreparations } from "./prepare.ts";
import type { Hosts } from "./service.ts";
import { createHostStore, type HostRecord } from "./store.ts";
import { createUsageWatch } from "./usage.ts";

const FRESH_MS = 10_000;
/** Followers of the list hear of changes at most this often. */
const RING_MS = 200;
const DOCTOR_MS = 60_000;
/** How long a list waits for a host that is asked at this moment. */
const LIST_WAIT_MS = 1000;

type Found = {
  state: HostState;
  problem: string | null;
  facts: HostFacts | null;
  /** Why there are no facts, for the doctor; null where there are. */
  without: NoFacts | null;
};

type Known = Omit<Found, "without"> & { since_secs: number; looked: number; without: NoFacts | null };

/** Makes the hosts of an app: this machine, and those that are reached by SSH. */
export function createHosts(parts: {
  db: Db;
  dataDir: string;
  jobs: Jobs;
  log: Logger;
  /** Hosts on which a run has not ended. */
  isBusy(host_id: string): boolean;
  /** Where runs lie that others started and that are only watched. */
  elsewhere?: Elsewhere | undefined;
  /** Read in place of `~/.ssh/config`. */
  sshConfig?: string | undefined;
  /** Replaces how this machine is reached, for tests. */
  local?: (root: string) => Executor;
}): Hosts {
  const root = join(parts.dataDir, "runs");
  const store = createHostStore(parts.db);
  store.saveLocal(root);
  const ssh = createSsh({ dataDir: parts.dataDir, user_config: parts.sshConfig ?? null });
  const attached = new Map<string, SlctlExecutor>();
  let here: Executor | null = null;
  const known = new Map<string, Known>();
  const looking = new Map<string, Promise<Known>>();
  const history = createHostHistory(parts.db);
  const bell = createBell();
  const closing = new AbortController();

  const record = (host_id: string): HostRecord => {
    const host = store.get(host_id);
    if (!host)
      throw new TRPCError({ code: "NOT_FOUND", message: `There is no host ${host_id} that takes runs.` });
    return host;
  };

  const remote = (host_id: string): SlctlExecutor => {
    const made = attached.get(host_id);
    if (made) return made;
    const { executor: kind, address, port, root: folder } = record(host_id);
    if (kind !== "ssh" || address === null)
      throw new TRPCError({ code: "BAD_REQUEST", message: "This machine needs none of this." });
    const way = ssh.executor({ address, port, root: folder, elsewhere: parts.elsewhere });
    attached.set(host_id, way);
    return way;
  };

  const executor = (host_id: string): Executor => {
    if (host_id !== "local") return remote(host_id);
    here ??= parts.local ? parts.local(root) : createLocalExecutor({ root, elsewhere: parts.elsewhere });
    return here;
  };

  const preparations = createPreparations({ store, jobs: parts.jobs, executor: remote });

  const environmentOf = (host_id: string): HostEnvironment | null =>
    host_id === "local" ? null : preparations.environment(host_id);

  const look = async (host_id: string): Promise<Known> => {
    const before = known.get(host_id);
    const found = await diagnose(executor(host_id), before?.facts ?? null);
    const since_secs = before?.state === found.state ? before.since_secs : Date.now() / 1000;
    const now = { ...found, since_secs, looked: performance.now() };
    // One that was detached meanwhile is nobody's business any more.
    if (closing.signal.aborted || store.get(host_id)?.trashed_secs !== null) return now;
    known.set(host_id, now);
    history.saw({ host_id, ...found, environment: environmentOf(host_id) });
    bell.ring();
    return now;
  };

  const lookOnce = (host_id: string): Promise<Known> => {
    const running =
      looking.get(host_id) ??
      look(host_id).finally(() => {
        looking.delete(host_id);
      });
    looking.set(host_id, running);
    return running;
  };

  /** What is known of a host, and is looked at anew where that is old. */
  const stateOf = async (host_id: string): Promise<Omit<Known, "looked" | "without">> => {
    const last = known.get(host_id);
    if (last !== undefined && performance.now() - last.looked < FRESH_MS) return last;
    const first: Known = {
      state: "connecting",
      problem: null,
      facts: null,
      without: null,
      since_secs: Date.now() / 1000,
      looked: 0,
    };
    const late = new Promise<Known>((resolve) => {
      if (host_id !== "local") setTimeout(() => resolve(last ?? first), LIST_WAIT_MS).unref();
    });
    return Promise.race([lookOnce(host_id), late]);
  };

  const forgetWay = (host_id: string) => {
    known.delete(host_id);
    const way = attached.get(host_id);
    attached.delete(host_id);
    void way?.close();
  };

  const own = (host_id: string): HostRecord => {
    const host = record(host_id);
    if (host.executor === "local")
      throw new TRPCError({
        code: "BAD_REQUEST",
        message: "This machine is always a host; it can't be detached.",
      });
    return host;
  };

  const list = () =>
    Promise.all(
      store.list().map(async ({ host_id, name, executor: kind, address, port, root: folder }) => {
        const { state, problem, since_secs, facts } = await stateOf(host_id);
        const environment = environmentOf(host_id);
        const place = { address, port, root: folder };
        return { host_id, name, executor: kind, ...place, state, problem, since_secs, facts, environment };
      }),
    );

  const usage = createUsageWatch({
    ids: () => store.list().map(({ host_id }) => host_id),
    executor,
    active: () => new Set(store.list().flatMap(({ host_id }) => (parts.isBusy(host_id) ? [host_id] : []))),
    onAnswer(host_id, { disk_free_bytes }) {
      if (disk_free_bytes !== null) history.sawDisk(host_id, disk_free_bytes);
      if (known.get(host_id)?.state !== "ready") void lookOnce(host_id);
    },
    onSilence(host_id) {
      if (known.get(host_id)?.state === "ready") void lookOnce(host_id);
    },
    log: parts.log,
  });

  /** Notices what became of preparations, which end on their own. */
  const watchPreparations = async () => {
    const told = new Map<string, string>();
    const changed = () => {
      for (const { host_id } of store.list()) {
        const environment = environmentOf(host_id);
        const text = JSON.stringify(environment);
        if (environment === null || told.get(host_id) === text) continue;
        told.set(host_id, text);
        history.sawEnvironment(host_id, environment);
        bell.ring();
      }
      return undefined;
    };
    for await (const _ of follow(parts.jobs.bell, closing.signal, changed));
  };

  const note: typeof history.note = (host_id, kind, says) => {
    history.note(host_id, kind, says);
    bell.ring();
  };

  return {
    ids: () => store.list().map(({ host_id }) => host_id),
    executor,
    list,

    async *follow(signal) {
      let told = "";
      while (!signal.aborted) {
        const rung = Promise.race([
          bell.wait(signal),
          sleep(FRESH_MS, undefined, { signal, ref: false }).catch(() => undefined),
        ]);
        const hosts = await list();
        const text = JSON.stringify(hosts);
        if (text !== told) yield hosts;
        told = text;
        await rung;
        await sleep(RING_MS, undefined, { signal }).catch(() => undefined);
      }
    },

    followUsage: (signal) => usage.follow(signal),

    async *followEvents(host_id, signal) {
      let newest = -1;
      yield* follow(history.bell, signal, () => {
        const events = history.list(host_id);
        const id = events[0]?.event_id ?? 0;
        if (id === newest) return undefined;
        newest = id;
        return events;
      });
    },

    note,

    async ensureUsable(host_id) {
      if (record(host_id).trashed_secs !== null)
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: "Nothing was started. The host was detached: bring it back on the hosts page first.",
        });
      executor(host_id);
      const last = known.get(host_id);
      if (last?.state === "ready") return;
      const { state, problem } = await lookOnce(host_id);
      if (state === "unusable" || state === "refused" || state === "unconfirmed")
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `Nothing was started. ${problem ?? ""}`.trim(),
        });
    },

    contact: (address, signal) => explained(() => ssh.contact(address, signal)),

    async confirm(address, fingerprint, is_replacement, signal) {
      const contact = await explained(() => ssh.confirm(address, fingerprint, is_replacement, signal));
      if (contact.state === "known") {
        for (const host of store.list().filter(({ executor: kind }) => kind === "ssh")) {
          known.delete(host.host_id);
          attached.get(host.host_id)?.tryAgain();
          if (host.address === address.address && host.port === address.port)
            note(host.host_id, "confirmed", `The key ${fingerprint} was confirmed.`);
        }
        return contact;
      }
      if (contact.state === "unreachable")
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: contact.problem ?? "It does not answer.",
        });
      if (contact.state === "changed" && !is_replacement)
        throw new TRPCError({ code: "PRECONDITION_FAILED", message: contact.problem ?? "Its key changed." });
      throw new TRPCError({
        code: "PRECONDITION_FAILED",
        message: "The host shows another key now than the one that you saw. Nothing was trusted: look again.",
      });
    },

    attach({ name, address, port, root: folder }) {
      const there = store.findPlace({ address, port, root: folder });
      if (there?.trashed_secs === null)
        throw new TRPCError({
          code: "CONFLICT",
          message: `${there.name} is that host already, with the same folder for runs.`,
        });
      if (there) {
        store.change(there.host_id, { name, trashed_secs: null });
        note(there.host_id, "restored", `${name} was attached again.`);
        return { host_id: there.host_id };
      }
      const host_id = `h${randomBytes(5).toString("hex")}`;
      store.add({ host_id, name, executor: "ssh", address, port, root: folder });
      note(host_id, "attached", `${name}, at ${address}, with its runs in ${folder}.`);
      return { host_id };
    },

    async doctor(host_id) {
      record(host_id);
      if (host_id !== "local") remote(host_id).tryAgain();
      await looking.get(host_id);
      const { facts, without } = await lookOnce(host_id);
      const environment = environmentOf(host_id);
      if (without !== null) return checkHost(without, environment);
      if (facts === null) throw new Error("a look ended without facts and without a reason");
      return checkHost(facts, environment);
    },

    async prepare(host_id, { profile, python, is_repair }) {
      const host = own(host_id);
      if (profile === "adopt" && (python === null || !/^(\/|~\/)/.test(python) || python.includes("\0")))
        throw new TRPCError({
          code: "BAD_REQUEST",
          message: "Name the interpreter to adopt by its whole path on the host, such as ~/venv/bin/python.",
        });
      const order = { profile, python: profile === "adopt" ? python : null };
      return { job_id: preparations.start(host, order, is_repair) };
    },

    trainer(host_id) {
      const { python, state, problem } = preparations.environment(host_id);
      if (python !== null) return python;
      throw new TRPCError({
        code: "PRECONDITION_FAILED",
        message:
          state === "preparing"
            ? `The trainer on ${record(host_id).name} is being prepared; launch when it is ready.`
            : (problem ??
              `The trainer on ${record(host_id).name} is not prepared: prepare it on the hosts page.`),
      });
    },

    room(host_id) {
      const facts = known.get(host_id)?.facts ?? null;
      return {
        gpus: facts?.gpus.map(({ memory_bytes }) => memory_bytes) ?? null,
        disk_free_bytes: facts?.disk_free_bytes ?? null,
      };
    },

    rename(host_id, name) {
      const before = record(host_id).name;
      store.change(host_id, { name });
      note(host_id, "renamed", `${before} is called ${name} now.`);
    },

    detach(host_id) {
      const { name } = own(host_id);
      const isBusy = parts.isBusy(host_id);
      // A host that is gone for good would stay on the list for ever.
      if (isBusy && known.get(host_id)?.state !== "unreachable")
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: `${name} can't be detached while a run there has not ended. Stop its runs first.`,
        });
      preparations.forget(host_id);
      store.change(host_id, { trashed_secs: Date.now() / 1000 });
      forgetWay(host_id);
      note(
        host_id,
        "detached",
        isBusy
          ? `${name} was detached while it did not answer. Runs there that had not ended are still asked after.`
          : `${name} was detached.`,
      );
    },

    restore(host_id) {
      const { name } = own(host_id);
      store.change(host_id, { trashed_secs: null });
      note(host_id, "restored", `${name} was brought back.`);
    },

    start() {
      void watchPreparations();
      for (const host of store.list()) {
        const order = store.preparing(host.host_id);
        if (order !== null) preparations.start(host, order, false);
      }
    },

    async close() {
      closing.abort();
      await usage.close();
      await Promise.all([here, ...attached.values()].map((way) => way?.close()));
      ssh.close();
    },
  };
}

/** Says in an answer what ssh said. */
async function explained<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    throw new TRPCError({ code: "PRECONDITION_FAILED", message: error.message });
  }
}

async function diagnose(executor: Executor, before: HostFacts | null): Promise<Found> {
  try {
    const facts = await executor.doctor(AbortSignal.timeout(DOCTOR_MS));
    return { state: "ready", problem: null, facts, without: null };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof SshError) {
      const says = message.slice(0, message.length - error.mend.length).trim();
      const id = error.kind === "no_python" ? "python" : error.kind === "no_place" ? "root" : "reachable";
      return {
        state: STATES[error.kind],
        problem: message,
        facts: before,
        without: { id, says, mend: error.mend },
      };
    }
    if (error instanceof NoPythonError)
      return {
        state: "unusable",
        problem: message,
        facts: before,
        without: { id: "python", says: message, mend: "Install python3 there." },
      };
    return {
      state: "unreachable",
      problem: `It does not answer: ${message}`,
      facts: before,
      without: {
        id: "reachable",
        says: message,
        mend: "Runs there go on. Look again when the machine and its network are back.",
      },
    };
  }
}

const STATES: Record<SshError["kind"], HostState> = {
  host_key_changed: "refused",
  host_key_unknown: "unconfirmed",
  auth: "refused",
  network: "unreachable",
  sessions: "unreachable",
  config: "unusable",
  no_ssh: "unusable",
  no_python: "unusable",
  no_place: "unusable",
  shell: "unusable",
};
