import type { LogSlice } from "@sightline/core/runs";
import { TRPCError } from "@trpc/server";
import { type AttemptRef, type Executor, UnreachableError } from "../../executors/executor.ts";

const ASK_MS = 15_000;

/** A piece of an attempt's log, from its host; its end when `offset` is null. */
export async function readLog(
  executor: Executor,
  { run_id, attempt, offset, max_bytes }: AttemptRef & { offset: number | null; max_bytes: number },
): Promise<LogSlice> {
  try {
    const wait = AbortSignal.timeout(ASK_MS);
    const piece = await executor.readLog({ run_id, attempt }, offset, max_bytes, wait);
    return {
      run_id,
      attempt,
      offset: piece.offset,
      next_offset: piece.offset + piece.bytes.length,
      size: piece.size,
      text: piece.bytes.toString("utf8"),
    };
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    throw new TRPCError({
      code: "PRECONDITION_FAILED",
      message: `The log can't be read now: ${error.message} It is kept on the host; try again when the host answers.`,
    });
  }
}
