import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism, constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import { MediaProblem } from "./problem.ts";
import type { TaskAnswer, TaskArgs, TaskCall, TaskName, TaskResult } from "./tasks.ts";

const PROCESS = fileURLToPath(import.meta.resolve("./decoder-process.ts"));
/** Minutes: a decoder yields to all other work, so that on a busy machine it gets little of the processor. */
const SILENCE_MS = 180_000;
/** Loading FFmpeg from a cold disk on a busy machine takes its time. */
const START_MS = 300_000;
/** An idle decoder process goes after so long. */
const IDLE_MS = 30_000;
const LAST_WORDS = 2000;

export type RunOptions = {
  /** "background" for long work, "interactive" for what a person waits for; they don't stand in each other's way. */
  lane: "background" | "interactive";
  signal?: AbortSignal;
  /** Called when the task leaves the queue. */
  onBegin?: () => void;
  onProgress?: (done: number) => void;
  /** A task that says nothing for so long hangs, and is ended; by default the pool's. */
  silenceMs?: number;
};

/**
 * Decoder processes for files that nobody has looked at yet.
 *
 * Broken video can crash or hang a decoder. In a thread that would take the server with it; a process is ended and
 * the file is refused. So every file's first full decode, and all later work that a person waits for, happens here.
 */
export type DecoderPool = {
  /** How many background tasks run at the same time. */
  readonly background: number;
  /**
   * @throws MediaProblem when the file is at fault: unreadable, or the decoder crashed or hung on it.
   * @throws DOMException AbortError when the signal fired.
   */
  run<N extends TaskName>(name: N, args: TaskArgs<N>, options: RunOptions): Promise<TaskResult<N>>;
  close(): void;
};

type Waiting = { start: (slot: Slot) => void; reject: (error: Error) => void; signal?: AbortSignal };
type Lane = { waiting: Waiting[]; slots: Slot[]; priority: number };
type Slot = { lane: Lane; decoder: Decoder | null; busy: boolean; idle: NodeJS.Timeout | null };
type Decoder = {
  child: ChildProcess;
  isReady: boolean;
  /** The end of what it wrote to standard error. */
  lastWords: string;
};

export type PoolOptions = {
  /** A decoder that says nothing for so long hangs, and is ended. */
  silenceMs?: number;
  /** What runs in the processes, as a path; another one for tests. */
  processFile?: string;
};

/** @param background  Files that are read at the same time; by default as many as there are cores, at most 4. */
export function createDecoderPool(
  background = Math.min(4, availableParallelism()),
  { silenceMs: patience = SILENCE_MS, processFile = PROCESS }: PoolOptions = {},
): DecoderPool {
  const { PRIORITY_BELOW_NORMAL, PRIORITY_NORMAL } = constants.priority;
  const lanes = {
    background: createLane(background, PRIORITY_BELOW_NORMAL),
    interactive: createLane(1, PRIORITY_NORMAL),
  };
  let nextId = 1;
  let closed = false;

  return {
    background,
    async run(name, args, { lane, signal, onBegin, onProgress, silenceMs = patience }) {
      if (closed) throw new Error("the decoder is shut down");
      const slot = await takeSlot(lanes[lane], signal);
      try {
        signal?.throwIfAborted();
        if (closed) throw new Error("the decoder is shut down");
        onBegin?.();
        const id = nextId++;
        const options = { signal, onProgress, silenceMs, processFile };
        return (await call(slot, { id, name, args }, options)) as TaskResult<typeof name>;
      } finally {
        freeSlot(slot);
      }
    },
    close() {
      closed = true;
      for (const lane of Object.values(lanes)) {
        for (const { reject } of lane.waiting.splice(0)) reject(new Error("the decoder is shut down"));
        for (const slot of lane.slots) endProcess(slot);
      }
    },
  };
}

function createLane(size: number, priority: number): Lane {
  const lane: Lane = { waiting: [], slots: [], priority };
  for (let n = 0; n < size; n++) lane.slots.push({ lane, decoder: null, busy: false, idle: null });
  return lane;
}

function takeSlot(lane: Lane, signal?: AbortSignal): Promise<Slot> {
  signal?.throwIfAborted();
  const free = lane.slots.find((slot) => !slot.busy);
  if (free) {
    free.busy = true;
    return Promise.resolve(free);
  }
  return new Promise((resolve, reject) => {
    const waiting: Waiting = { start: resolve, reject, ...(signal && { signal }) };
    lane.waiting.push(waiting);
    signal?.addEventListener(
      "abort",
      () => {
        const place = lane.waiting.indexOf(waiting);
        if (place < 0) return;
        lane.waiting.splice(place, 1);
        reject(new DOMException("cancelled", "AbortError"));
      },
      { once: true },
    );
  });
}

function freeSlot(slot: Slot) {
  const next = slot.lane.waiting.shift();
  if (next) {
    next.start(slot);
    return;
  }
  slot.busy = false;
  if (!slot.decoder) return;
  slot.idle = setTimeout(() => endProcess(slot), IDLE_MS);
  slot.idle.unref();
}

function endProcess(slot: Slot) {
  if (slot.idle) clearTimeout(slot.idle);
  slot.decoder?.child.kill("SIGKILL");
  slot.decoder = null;
}

type CallOptions = Pick<RunOptions, "signal" | "onProgress"> & { silenceMs: number; processFile: string };

function startProcess(processFile: string, priority: number): Decoder {
  const child = fork(processFile, [], {
    execArgv: ["--import", import.meta.resolve("tsx")],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const decoder: Decoder = { child, isReady: false, lastWords: "" };
  if (child.pid !== undefined) yieldTo(child.pid, priority);
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    decoder.lastWords = (decoder.lastWords + text).slice(-LAST_WORDS);
  });
  child.on("message", (answer: TaskAnswer) => {
    if (answer.type === "ready") decoder.isReady = true;
  });
  // A message that can't be delivered to a process that has just ended; its exit is what counts.
  child.on("error", () => undefined);
  return decoder;
}

/** Where the system refuses it, the process runs like any other. */
function yieldTo(pid: number, priority: number): void {
  try {
    setPriority(pid, priority);
  } catch {
    return;
  }
}

function call(
  slot: Slot,
  message: TaskCall,
  { signal, onProgress, silenceMs, processFile }: CallOptions,
): Promise<unknown> {
  if (slot.idle) clearTimeout(slot.idle);
  if (slot.decoder?.child.connected !== true) slot.decoder = startProcess(processFile, slot.lane.priority);
  const decoder = slot.decoder;
  const { child } = decoder;

  return new Promise((resolve, reject) => {
    let silence: NodeJS.Timeout;
    const settle = (finish: () => void) => {
      clearTimeout(silence);
      child.off("message", onMessage);
      child.off("exit", onExit);
      signal?.removeEventListener("abort", onAbort);
      finish();
    };
    const giveUp = (error: Error) =>
      settle(() => {
        endProcess(slot);
        reject(error);
      });
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(
        () =>
          giveUp(
            decoder.isReady
              ? new MediaProblem("The decoder got stuck on this file and was stopped.")
              : new Error("The decoder did not start in time: the machine is too busy."),
          ),
        decoder.isReady ? silenceMs : START_MS,
      );
    };
    const onMessage = (answer: TaskAnswer) => {
      listen();
      if (answer.type === "ready" || answer.id !== message.id) return;
      if (answer.type === "progress") return onProgress?.(answer.done);
      if (answer.type === "done") return settle(() => resolve(answer.result));
      const { is_problem, message: words } = answer;
      settle(() => reject(is_problem ? new MediaProblem(words) : new Error(words)));
    };
    const onExit = () =>
      giveUp(
        decoder.isReady
          ? new MediaProblem("The decoder crashed on this file: its data is damaged.")
          : new Error(`The decoder could not be started. ${decoder.lastWords}`.trim()),
      );
    const onAbort = () => giveUp(new DOMException("cancelled", "AbortError"));
    child.on("message", onMessage);
    child.on("exit", onExit);
    signal?.addEventListener("abort", onAbort, { once: true });
    listen();
    child.send(message);
  });
}
