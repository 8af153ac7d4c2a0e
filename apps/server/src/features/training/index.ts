import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { RunSpec } from "@sightline/core/runs";
import {
  holdOut,
  type KnownQuestion,
  type LineProblem,
  listRewardNames,
  readQuestionFile,
} from "@sightline/core/training";
import { makeHeadingSet, type TrainingRow } from "@sightline/core/worlds";
import { TRPCError } from "@trpc/server";
import type { Environment } from "../environment/index.ts";
import { type HostRoom, lookBefore } from "./preflight.ts";

/** What an attempt gets along with its spec. The same spec gives the same inputs, so that a resumed run agrees. */
export type TrainingInputs = {
  /** The interpreter that trains; null for the one that runs the supervisor. */
  python: string | null;
  /** Files of the run's `data` folder, by name. */
  data: Record<string, string>;
};

/** What became of a person's question file. */
export type FileReport = {
  /** Names the stored file in `settings.question_file`; null while a line is wrong. */
  question_file: string | null;
  questions: number;
  tasks: Record<string, number>;
  problems: LineProblem[];
};

/** One thing that was looked at before a launch. */
export type PreflightCheck = {
  name: string;
  ok: boolean;
  says: string;
  /** A setting that would mend it, and its value; absent where there is none. */
  fix?: [name: string, value: string | number | boolean] | null;
};

/** Data and interpreter of real training. */
export type Training = {
  checkFile(bytes: Uint8Array): FileReport;
  /**
   * Keeps questions that a model is to be asked, as they are; the name goes into `settings.eval_file`.
   *
   * @param pictures  JPEGs by the names that the questions' `frames` have; they go along with each launch.
   */
  keepQuestions(rows: readonly TrainingRow[], pictures?: ReadonlyMap<string, Buffer>): { eval_file: string };
  /** What was kept under the name; null where it is not here. */
  readKept(eval_file: string): TrainingRow[] | null;
  /** Keeps a person's Python file of rewards; the trainer checks it before it trains. Throws for what is no text. */
  keepRewards(bytes: Uint8Array): { reward_file: string };
  /** Names of the rewards in a file that was kept; none where it lies on a host. */
  rewardNames(reward_file: string): string[];
  inputs(spec: RunSpec, host_id?: string): Promise<TrainingInputs>;
  preflight(spec: Omit<RunSpec, "run_id">, host_id?: string): Promise<PreflightCheck[]>;
};

/** The host that is this machine. */
const HERE = "local";
const MANY_PROBLEMS = 200;

const decoder = new TextDecoder("utf-8", { fatal: true });
const decode = (bytes: Uint8Array) => decoder.decode(bytes);

const toLines = (rows: readonly TrainingRow[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

const parseRows = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as TrainingRow);

function readCount(spec: Pick<RunSpec, "settings">, name: string, fallback: number): number {
  const value = spec.settings[name];
  return typeof value === "number" ? value : fallback;
}

export function createTraining(parts: {
  dataDir: string;
  environment: Environment;
  /** The interpreter that trains on an attached host; throws what to do where there is none. */
  trainerOn(host_id: string): string;
  /** GPUs and disk of a host, as it was last seen. */
  roomOn(host_id: string): HostRoom;
  /** The library's questions by their hash, for released files that have no ids. */
  knownQuestions(): ReadonlyMap<string, KnownQuestion>;
  /** Questions that every evaluation on worlds asks as well. */
  sampleQuestions(): TrainingRow[];
}): Training {
  const folder = join(parts.dataDir, "question-files");
  const fileOf = (name: string) => join(folder, `${name}.jsonl`);

  const pictureFolder = join(folder, "pictures");
  const rewardFolder = join(parts.dataDir, "reward-files");

  /** The file of rewards that came through this server; a path instead names one that lies on the host. */
  const readRewards = (spec: Omit<RunSpec, "run_id">): Record<string, string> => {
    const file = spec.settings.reward_file;
    if (typeof file !== "string" || !/^[0-9a-f]{64}$/.test(file)) return {};
    const path = join(rewardFolder, `${file}.py`);
    if (!existsSync(path))
      throw new TRPCError({
        code: "PRECONDITION_FAILED",
        message: "The file of rewards is not here: choose it on the launch page and launch again.",
      });
    return { "rewards.py": readFileSync(path, "utf8") };
  };

  const readData = (spec: Omit<RunSpec, "run_id">): Record<string, string> => ({
    ...readQuestions(spec),
    ...readRewards(spec),
  });

  /** An evaluation's own questions; a word-level policy's recipe comes along, since its words are those of the recipe. */
  const readQuestions = (spec: Omit<RunSpec, "run_id">): Record<string, string> => {
    const { eval_file, model = "tiny" } = spec.settings;
    if (typeof eval_file !== "string") return readRecipe(spec);
    if (!/^[0-9a-f]{64}$/.test(eval_file) || !existsSync(fileOf(eval_file)))
      throw new TRPCError({
        code: "PRECONDITION_FAILED",
        message: "The questions of this evaluation are not here: begin it again on the page Evaluate.",
      });
    const isWordLevel = model === "tiny" || model === "smoke" || model === "tiny-vlm";
    const text = readFileSync(fileOf(eval_file), "utf8");
    const names = new Set(parseRows(text).flatMap(({ frames = [] }) => frames));
    return {
      ...(isWordLevel ? readRecipe(spec) : {}),
      "eval.jsonl": text,
      ...(names.size > 0 && { "pictures.jsonl": [...names].map(readPicture).join("") }),
    };
  };

  /** A line of `pictures.jsonl`. */
  const readPicture = (name: string) =>
    `${JSON.stringify({ name, jpeg: readFileSync(join(pictureFolder, name)).toString("base64") })}\n`;

  const readRecipe = (spec: Omit<RunSpec, "run_id">): Record<string, string> => {
    const file = spec.settings.question_file;
    if (typeof file === "string") {
      if (!/^[0-9a-f]{64}$/.test(file) || !existsSync(fileOf(file)))
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message: "The file of questions is not here: choose it on the launch page and launch again.",
        });
      const { train, eval: held } = holdOut(
        readQuestionFile(readFileSync(fileOf(file)), decode, parts.knownQuestions()).rows,
        spec.seed,
      );
      return { "train.jsonl": toLines(train), "eval.jsonl": toLines(held) };
    }
    const set = makeHeadingSet(readCount(spec, "world_seed", 1), {
      train: readCount(spec, "train_questions", 512),
      eval: readCount(spec, "eval_questions", 128),
      warm: readCount(spec, "warm_questions", 400),
    });
    return {
      "train.jsonl": toLines(set.train),
      "eval.jsonl": toLines([...set.eval, ...parts.sampleQuestions()]),
      "warm.jsonl": toLines(set.warm),
    };
  };

  const checkTrainer = async (host_id: string): Promise<PreflightCheck> => {
    const ready = { name: "trainer", ok: true, says: "The trainer is ready." };
    if (host_id !== HERE) {
      const { problem } = tryRead(() => parts.trainerOn(host_id));
      return problem === null ? ready : { ...ready, ok: false, says: problem };
    }
    const { state, problem } = await parts.environment.status();
    if (state === "ready") return ready;
    const says =
      state === "preparing"
        ? "The trainer is being prepared; launch when it is ready."
        : (problem ?? "The trainer is not prepared yet.");
    return { ...ready, ok: false, says };
  };

  const readRoom = async (host_id: string): Promise<HostRoom> => {
    const room = parts.roomOn(host_id);
    if (host_id !== HERE) return room;
    const disk = await statfs(parts.dataDir);
    return { ...room, disk_free_bytes: disk.bavail * disk.bsize };
  };

  return {
    checkFile(bytes) {
      const { rows, problems } = readQuestionFile(bytes, decode, parts.knownQuestions());
      const tasks: Record<string, number> = {};
      for (const { task } of rows) tasks[task] = (tasks[task] ?? 0) + 1;
      const report = { questions: rows.length, tasks, problems: problems.slice(0, MANY_PROBLEMS) };
      if (problems.length > 0) return { ...report, question_file: null };
      const hash = createHash("sha256").update(bytes).digest("hex");
      mkdirSync(folder, { recursive: true });
      writeFileSync(fileOf(hash), bytes);
      return { ...report, question_file: hash };
    },

    keepQuestions(rows, pictures = new Map()) {
      if (pictures.size > 0) mkdirSync(pictureFolder, { recursive: true });
      for (const [name, jpeg] of pictures) writeFileSync(join(pictureFolder, name), jpeg);
      const text = toLines(rows);
      const hash = createHash("sha256").update(text).digest("hex");
      mkdirSync(folder, { recursive: true });
      writeFileSync(fileOf(hash), text);
      return { eval_file: hash };
    },

    readKept(eval_file) {
      if (!/^[0-9a-f]{64}$/.test(eval_file) || !existsSync(fileOf(eval_file))) return null;
      return parseRows(readFileSync(fileOf(eval_file), "utf8"));
    },

    keepRewards(bytes) {
      try {
        decode(bytes);
      } catch {
        throw new TRPCError({
          code: "BAD_REQUEST",
          message: "This file is no UTF-8 text: choose a Python file.",
        });
      }
      const hash = createHash("sha256").update(bytes).digest("hex");
      mkdirSync(rewardFolder, { recursive: true });
      writeFileSync(join(rewardFolder, `${hash}.py`), bytes);
      return { reward_file: hash };
    },

    rewardNames(reward_file) {
      const path = join(rewardFolder, `${reward_file}.py`);
      const isKept = /^[0-9a-f]{64}$/.test(reward_file) && existsSync(path);
      return isKept ? listRewardNames(readFileSync(path, "utf8")) : [];
    },

    async inputs(spec, host_id = HERE) {
      if (spec.engine === "simulator") return { python: null, data: {} };
      if (host_id !== HERE) return { python: parts.trainerOn(host_id), data: readData(spec) };
      const { python, problem } = await parts.environment.status();
      if (python === null)
        throw new TRPCError({
          code: "PRECONDITION_FAILED",
          message:
            problem ?? "The trainer is not prepared yet: prepare it on the launch page, then launch again.",
        });
      return { python, data: readData(spec) };
    },

    async preflight(spec, host_id = HERE) {
      const trainer = await checkTrainer(host_id);
      const data = tryRead(() => readData(spec));
      const questions = data.value?.["train.jsonl"]?.split("\n").length ?? 1;
      const perStep = readCount(spec, "prompts_per_step", 8);
      const group = readCount(spec, "group_size", 8);
      const micro = readCount(spec, "micro_batch", 64);
      const { python } = await parts.environment.status();
      const isWhole = spec.engine !== "grpo" || (group * perStep) % micro === 0;
      const told =
        python === null || !isWhole
          ? []
          : await lookBefore(python, {
              spec,
              questions: data.value?.["train.jsonl"] ?? "",
              rewards: data.value?.["rewards.py"] ?? null,
              host: await readRoom(host_id),
              is_trainer: host_id === HERE,
            }).catch((error: unknown): PreflightCheck[] => [
              { name: "estimate", ok: false, says: `The estimate could not be made: ${sayError(error)}` },
            ]);
      return [
        trainer,
        {
          name: "questions",
          ok: data.problem === null && (spec.engine === "evaluate" || questions - 1 >= perStep),
          says:
            data.problem ??
            `${questions - 1} training questions, ${Math.floor((questions - 1) / perStep)} steps an epoch.`,
        },
        ...(spec.engine === "grpo"
          ? [
              {
                name: "group",
                ok: isWhole,
                says: isWhole
                  ? `${perStep} prompts × ${group} samples a step.`
                  : `micro_batch ${micro} must divide ${perStep} × ${group} = ${perStep * group}.`,
              },
            ]
          : []),
        ...told,
      ];
    },
  };
}

function tryRead<T>(read: () => T): { value: T; problem: null } | { value: null; problem: string } {
  try {
    return { value: read(), problem: null };
  } catch (error) {
    return { value: null, problem: sayError(error) };
  }
}

const sayError = (error: unknown) => (error instanceof Error ? error.message : String(error));
