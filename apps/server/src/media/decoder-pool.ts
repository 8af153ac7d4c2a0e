import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { MediaProblem } from "./problem.ts";
import type { TaskAnswer, TaskArgs, TaskName, TaskResult } from "./tasks.ts";

const PROCESS = fileURLToPath(import.meta.resolve("./decoder-process.ts"));
/** A decoder that says nothing for so long hangs, and is ended. */
const SILENCE_MS = 60_000;
/** An idle decoder process goes after so long. */
const IDLE_MS = 30_000;

export type RunOptions = {
  /** "background" for long work, "interactive" for what a person waits for; they don't stand in each other's way. */
  lane: "background" | "interactive";
  signal?: AbortSignal;
  /** Called when the task leaves the queue. */
  onBegin?: () => void;
  onProgress?: (done: number) => void;
};

/**
 * Decoder processes for files that nobody has looked at yet.
 *
 * Broken video can crash or hang a decoder. In a thread that would take the server with it; a process is ended and
 * the file is refused. So every file's first full decode, and all later work that a person waits for, happens here.
 */
export type DecoderPool = {
  /**
   * @throws MediaProblem when the file is at fault: unreadable, or the decoder crashed or hung on it.
   * @throws DOMException AbortError when the signal fired.
   */
  run<N extends TaskName>(name: N, args: TaskArgs<N>, options: RunOptions): Promise<TaskResult<N>>;
  close(): void;
};

type Waiting = { start: (slot: Slot) => void; reject: (error: Error) => void; signal?: AbortSignal };
type Lane = { waiting: Waiting[]; slots: Slot[] };
type Slot = { lane: Lane; child: ChildProcess | null; busy: boolean; idle: NodeJS.Timeout | null };

/** @param background  Files that are read at the same time; by default one less than the cores, at most 4. */
export function createDecoderPool(
  background = Math.max(1, Math.min(4, availableParallelism() - 1)),
  silenceMs = SILENCE_MS,
): DecoderPool {
  const lanes = { background: createLane(background), interactive: createLane(1) };
  let nextId = 1;
  let closed = false;

  return {
    async run(name, args, { lane, signal, onBegin, onProgress }) {
      if (closed) throw new Error("the decoder is shut down");
      const slot = await takeSlot(lanes[lane], signal);
      onBegin?.();
      try {
        const id = nextId++;
        return (await call(slot, { id, name, args }, { signal, onProgress, silenceMs })) as TaskResult<
          typeof name
        >;
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

function createLane(size: number): Lane {
  const lane: Lane = { waiting: [], slots: [] };
  for (let n = 0; n < size; n++) lane.slots.push({ lane, child: null, busy: false, idle: null });
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
  if (!slot.child) return;
  slot.idle = setTimeout(() => endProcess(slot), IDLE_MS);
  slot.idle.unref();
}

function endProcess(slot: Slot) {
  if (slot.idle) clearTimeout(slot.idle);
  slot.child?.kill("SIGKILL");
  slot.child = null;
}

function startProcess(): ChildProcess {
  return fork(PROCESS, [], {
    execArgv: ["--import", import.meta.resolve("tsx")],
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
}

type CallOptions = Pick<RunOptions, "signal" | "onProgress"> & { silenceMs: number };

function call(
  slot: Slot,
  message: { id: number; name: TaskName; args: unknown },
  { signal, onProgress, silenceMs }: CallOptions,
): Promise<unknown> {
  if (slot.idle) clearTimeout(slot.idle);
  if (slot.child?.connected !== true) slot.child = startProcess();
  const child = slot.child;

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
        () => giveUp(new MediaProblem("The decoder got stuck on this file and was stopped.")),
        silenceMs,
      );
    };
    const onMessage = (answer: TaskAnswer) => {
      if (answer.id !== message.id) return;
      listen();
      if (answer.type === "progress") onProgress?.(answer.done);
      else if (answer.type === "done") settle(() => resolve(answer.result));
      else
        settle(() =>
          reject(answer.is_problem ? new MediaProblem(answer.message) : new Error(answer.message)),
        );
    };
    const onExit = () => giveUp(new MediaProblem("The decoder crashed on this file: its data is damaged."));
    const onAbort = () => giveUp(new DOMException("cancelled", "AbortError"));
    child.on("message", onMessage);
    child.on("exit", onExit);
    signal?.addEventListener("abort", onAbort, { once: true });
    listen();
    child.send(message);
  });
}
