import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { RunSpec } from "@sightline/core/runs";
import { z } from "zod";

const TRAINER = fileURLToPath(new URL("../../../../trainer", import.meta.url));
const MOST_MS = 20_000;

const Checks = z.array(
  z.object({
    name: z.string(),
    ok: z.boolean(),
    says: z.string(),
    fix: z.tuple([z.string(), z.union([z.string(), z.number(), z.boolean()])]).nullable(),
  }),
);
export type HostChecks = z.infer<typeof Checks>;

/** What is known of the host that the run would be on. */
export type HostRoom = { gpus: number[] | null; disk_free_bytes: number | null };

/**
 * Lengths, memory, disk, judge, versions and a person's own rewards, by the trainer's own estimate: it alone knows what a run holds.
 *
 * @param python  An interpreter on this machine. Where it is also the one that would train, its packages are looked at.
 * @throws when the interpreter can't be run, or says nothing that can be read.
 */
export function lookBefore(
  python: string,
  request: {
    spec: Omit<RunSpec, "run_id">;
    questions: string;
    /** Text of the person's own rewards; null without any, and where they lie on the host. */
    rewards: string | null;
    host: HostRoom;
    is_trainer: boolean;
  },
): Promise<HostChecks> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      python,
      ["-m", "sightline_trainer.preflight"],
      { cwd: TRAINER, timeout: MOST_MS, maxBuffer: 4_000_000, env: { ...process.env, PYTHONPATH: TRAINER } },
      (error, stdout) => {
        if (error) return reject(error);
        try {
          resolve(Checks.parse(JSON.parse(stdout)));
        } catch (problem) {
          reject(problem);
        }
      },
    );
    // A child that ends before it has read all closes the pipe; its exit code is the story.
    child.stdin?.on("error", () => {});
    child.stdin?.end(JSON.stringify(request));
  });
}
