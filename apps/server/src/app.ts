import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { hashSettings, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { formatQuestion, formatVideoText } from "@sightline/core/perception";
import { hashQuestion } from "@sightline/core/training";
import { type Logger, pino } from "pino";
import { type Db, openDatabase } from "./db/open.ts";
import { type Alerts, createAlerts, type OutboxPatience } from "./features/alerts/index.ts";
import { type Batches, createBatches } from "./features/batches/index.ts";
import { type Clips, createClips } from "./features/clips/index.ts";
import type { Quota } from "./features/clips/uploads.ts";
import { createDecisions, type Decisions } from "./features/decisions/index.ts";
import { createEndpoints, type Endpoints, type Patience } from "./features/endpoints/index.ts";
import { createEnvironment, type Environment } from "./features/environment/index.ts";
import {
  createClipPictures,
  createEvaluations,
  createHostStart,
  createOnHosts,
  type Evaluations,
} from "./features/evaluations/index.ts";
import { createExchange, type Exchange } from "./features/exchange/index.ts";
import { createFind, type Find } from "./features/find/index.ts";
import { createHosts } from "./features/hosts/index.ts";
import type { Hosts } from "./features/hosts/service.ts";
import { createJobs, type Jobs } from "./features/jobs/tray.ts";
import { createKeyFrames, type KeyFrames } from "./features/keyframes/index.ts";
import { createLinks, type Links } from "./features/links/index.ts";
import { createPolicies, type Policies } from "./features/policies/index.ts";
import { addSampleQuestions, createQuestions, type Questions } from "./features/questions/index.ts";
import { createReplays, type Replays } from "./features/replay/index.ts";
import { createRuns } from "./features/runs/index.ts";
import type { Runs } from "./features/runs/service.ts";
import {
  addSampleClips,
  findSampleWorld,
  layOutRecordedRuns,
  listSampleQuestions,
} from "./features/samples/index.ts";
import { createTraces, type Traces } from "./features/traces/index.ts";
import { createTraining, type Training } from "./features/training/index.ts";
import { createTriples, type Triples, toPerceiver } from "./features/triples/index.ts";
import { createWorlds } from "./features/worlds/index.ts";

/** Everything that a request may need, made once per server. */
export type App = {
  db: Db;
  /** The data folder, absolute. */
  dataDir: string;
  log: Logger;
  jobs: Jobs;
  alerts: Alerts;
  batches: Batches;
  clips: Clips;
  keyframes: KeyFrames;
  decisions: Decisions;
  endpoints: Endpoints;
  environment: Environment;
  evaluations: Evaluations;
  exchange: Exchange;
  find: Find;
  hosts: Hosts;
  links: Links;
  policies: Policies;
  questions: Questions;
  replays: Replays;
  traces: Traces;
  training: Training;
  triples: Triples;
  runs: Runs;
  close(): Promise<void>;
};

/** Opens a data folder and starts what works in the background. */
export async function createApp(options: {
  dataDir: string;
  log?: Logger;
  /** Folders of this machine from which clips may be added. */
  folders?: string[];
  /** How much the library may hold. */
  quota?: Quota;
  /** Adds the sample project to a folder that is new. */
  samples?: boolean;
  /** How long and how often endpoints are called. */
  patience?: Patience;
  /** How patiently receivers of alerts are told. */
  outboxPatience?: OutboxPatience;
  /** Address of the hub that models are fetched from; by default what HF_ENDPOINT says. */
  hubAddress?: string;
}): Promise<App> {
  mkdirSync(options.dataDir, { recursive: true });
  const isNew = !existsSync(join(options.dataDir, "sightline.db"));
  const db = openDatabase(join(options.dataDir, "sightline.db"));
  const log = options.log ?? pino({ level: "info" });
  const jobs = createJobs(log);
  const clips = createClips({ ...options, db, log, jobs });
  const keyframes = createKeyFrames({ db, library: clips.library, jobs, log });
  keyframes.start();
  const batches = createBatches({ db, clips, keyframes, jobs, log });
  batches.startUp();
  const decisions = createDecisions({ db, clips, keyframes });
  /** The newest triples of a clip that are whole; null without any. */
  const readTriples = (clip_id: string) => {
    const made = triples.list(clip_id).find(({ state }) => state === "done");
    return made === undefined ? null : triples.get(made.triple_set_id).triples;
  };
  const questions = createQuestions({
    db,
    library: clips.library,
    jobs,
    layOut(clip_id, question) {
      const made = readTriples(clip_id);
      return made === null ? null : formatVideoText(made, question);
    },
  });
  const endpoints = createEndpoints({ db, dataDir: options.dataDir, patience: options.patience });
  const worlds = createWorlds({
    db,
    library: clips.library,
    pool: clips.pool,
    findSample: findSampleWorld,
  });
  const triples = createTriples({
    db,
    clips,
    keyframes,
    decisions,
    endpoints,
    jobs,
    log,
    findWorld: worlds.find,
  });
  triples.startUp();
  const traces = createTraces({
    db,
    jobs,
    askModel: endpoints.chat,
    getTripleSet: triples.get,
    getQuestion: questions.get,
    getClipName: (clip_id) => clips.library.get(clip_id).name,
    findWorld: worlds.find,
  });
  const evaluations = createEvaluations({
    db,
    jobs,
    log,
    listQuestions: questions.listOfSet,
    findTriples: (clip_id) =>
      triples.list(clip_id).find(({ state }) => state === "done")?.triple_set_id ?? null,
    async makeTriples(clip_id, signal) {
      const settings_hash = hashSettings(keyframes.getSaved(clip_id) ?? SIGHTLINE_SETTINGS);
      const perceiver = toPerceiver({ kind: "embedded" });
      const plan = { clip_id, settings_hash, perceiver, question_id: null, question: "" };
      return (await triples.make(plan, signal)).triple_set_id;
    },
    askAndWait: traces.askAndWait,
    onHosts: createOnHosts({
      listRuns: () => runs.list({ trash: false }),
      getRun: (run_id) => runs.get(run_id),
      completions: (run_id, step) => runs.completions(run_id, step),
      findPhase: (run_id) => runs.phase(run_id),
      findCard: (run_id) => runs.configs(run_id).findLast(({ about }) => about === "evaluation") ?? null,
      findQuestions: (set_id) => (questions.hasSet(set_id) ? questions.listOfSet(set_id) : null),
      readAsked: (eval_file) => training.readKept(eval_file),
    }),
    hostStart: createHostStart({
      listQuestions: questions.listOfSet,
      readTriples,
      pictures: createClipPictures({ clips, keyframes, decisions, jobs }),
      getRun: (run_id) => runs.get(run_id),
      findCard: async (run_id) =>
        (await policies.list()).find(({ source }) => source.kind === "run" && source.run_id === run_id)
          ?.card ?? null,
      keepQuestions: (rows, pictures) => training.keepQuestions(rows, pictures),
      launch: (order) => runs.launch(order),
    }),
    stopRun: (run_id) => runs.stop(run_id),
    resumeRun: (run_id) => runs.resume(run_id),
    getTrace: traces.get,
  });
  evaluations.startUp();
  const exchange = createExchange({
    dataDir: options.dataDir,
    clips,
    keyframes,
    decisions,
    questions,
    triples,
    jobs,
    log,
  });
  const environment = createEnvironment({
    jobs,
    log,
    interpreter: process.env.SIGHTLINE_TRAINER_PYTHON ?? null,
  });
  const hosts = createHosts({
    db,
    dataDir: options.dataDir,
    jobs,
    log,
    elsewhere: (run_id) => runs.watchedDirectory(run_id),
    isBusy: (host_id) => runs.activeByHost().has(host_id),
    sshConfig: process.env.SIGHTLINE_SSH_CONFIG,
  });
  const training = createTraining({
    dataDir: options.dataDir,
    environment,
    trainerOn: (host_id) => hosts.trainer(host_id),
    roomOn: (host_id) => hosts.room(host_id),
    knownQuestions: () =>
      new Map(
        questions
          .sets({ trash: false })
          .flatMap(({ set_id }) => questions.listOfSet(set_id))
          .map(({ question_id, task, clip_id, text, options }) => [
            hashQuestion(formatQuestion(text, options)),
            { question_id, task, clip_id },
          ]),
      ),
    sampleQuestions: listSampleQuestions,
  });
  const runs = createRuns({
    db,
    hosts,
    log,
    jobs,
    checkpointsDir: join(options.dataDir, "checkpoints"),
    resolveFolder: clips.folders.resolve,
    inputs: (spec, host_id) => training.inputs(spec, host_id),
  });
  const links = createLinks({
    db,
    jobs,
    log,
    library: clips.library,
    keyframes,
    decisions,
    triples,
    questions,
    traces,
    worlds,
    makeTriples: ({ kind, ...clip }, signal) =>
      triples.make({ ...clip, perceiver: toPerceiver({ kind }), question_id: null, question: "" }, signal),
  });
  const find = createFind({
    db,
    jobs,
    log,
    checkLinks: links.catchUp,
    getAuthor: () => decisions.getSignature().name,
  });
  const replays = createReplays({
    db,
    jobs,
    getRun: (run_id) => runs.get(run_id),
    readFile: (run_id, ...rest) => hosts.executor(runs.get(run_id).run.host_id).readFile(run_id, ...rest),
    getAuthor: () => decisions.getSignature().name,
  });
  const alerts = createAlerts({
    db,
    dataDir: options.dataDir,
    runs,
    log,
    getAuthor: () => decisions.getSignature().name,
    patience: options.outboxPatience,
  });
  const policies = createPolicies({
    db,
    dataDir: options.dataDir,
    hubAddress: options.hubAddress ?? process.env.HF_ENDPOINT,
    listRuns: () => runs.list({ trash: false }),
  });
  if (options.samples && isNew) {
    layOutRecordedRuns(join(options.dataDir, "runs"));
    addSampleQuestions(questions, listSampleQuestions());
    addSampleClips(clips.library, log).catch((error: unknown) =>
      log.error({ err: error }, "adding the sample clips"),
    );
  }
  hosts.start();
  runs.start();
  const stopListening = runs.listen({ lines: evaluations.noteRun, changed: evaluations.noteRun });
  find.catchUp();
  alerts.start();
  replays.startUp();
  return {
    db,
    dataDir: options.dataDir,
    log,
    jobs,
    alerts,
    batches,
    clips,
    keyframes,
    decisions,
    endpoints,
    environment,
    evaluations,
    exchange,
    find,
    hosts,
    links,
    policies,
    questions,
    replays,
    traces,
    training,
    triples,
    runs,
    async close() {
      stopListening();
      await alerts.close();
      await links.close();
      await find.close();
      await runs.close();
      await hosts.close();
      await jobs.close();
      keyframes.close();
      clips.close();
      db.$client.close();
    },
  };
}
