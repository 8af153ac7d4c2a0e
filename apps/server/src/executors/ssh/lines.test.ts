import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { metricsLine } from "@sightline/core/testing";
import { describe, expect, it } from "vitest";
import { type StreamCursor, UnreachableError } from "../executor.ts";
import { endProcess, whyNoSshd } from "../testing/sshd.ts";
import { startTestHost } from "../testing/test-host.ts";

const why = whyNoSshd();
if (why !== null) console.warn(`Left out: ${why}`);

const { signal } = new AbortController();

const line = (seq: number) => `${JSON.stringify(metricsLine({ seq }, seq, { loss: seq }))}\n`;
const FIRST: StreamCursor = {
  run_id: "run-a",
  attempt: 1,
  stream: "events",
  segment: 1,
  offset: 0,
  inode: null,
};

describe.skipIf(why !== null)("lines on a host", () => {
  it("torn, huge and bad ones arrive byte for byte and marked, also when the link dies in between", async () => {
    const { executor, sshd, root } = await startTestHost("lines");
    const attempt = join(root, "run-a/attempts/001");
    mkdirSync(attempt, { recursive: true });
    const huge = `{"v":1,"x":"${"y".repeat(9_000_000)}"}\n`;
    const bad = Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a]);
    const before = Buffer.concat([Buffer.from(line(1)), bad, Buffer.from('{"not": json}\n')]);
    const torn = Buffer.from(line(3).slice(0, 40));
    const file = Buffer.concat([before, Buffer.from(huge), Buffer.from(line(2)), torn]);
    writeFileSync(join(attempt, "events.jsonl"), file);
    writeFileSync(join(attempt, "exit.json"), '{"code": 137, "signal": "SIGKILL", "reason": "failed"}\n');

    let cursor = FIRST;
    const got: { bytes: Buffer; oversized: number | null; torn: boolean }[] = [];
    for (let ended = false, tries = 0; !ended && tries < 30; tries++) {
      if (tries < 2) for (const pid of sshd.sessions()) endProcess(pid);
      executor.tryAgain();
      const chunks = await executor.read([cursor], signal).catch((error: unknown) => {
        if (error instanceof UnreachableError) return [];
        throw error;
      });
      for (const chunk of chunks) {
        expect(chunk.offset).toBe(cursor.offset);
        got.push(chunk);
        cursor = chunk.next;
        ended = chunk.ended;
      }
    }
    expect(cursor.offset).toBe(file.length);
    const whole = got.filter(({ oversized, torn: is_torn }) => oversized === null && !is_torn);
    const bytes = Buffer.concat(whole.map((chunk) => chunk.bytes));
    expect(bytes.equals(Buffer.concat([before, Buffer.from(line(2))]))).toBe(true);
    expect(got.find(({ oversized }) => oversized !== null)?.oversized).toBe(huge.length);
    expect(got.find(({ torn: is_torn }) => is_torn)?.bytes.toString()).toBe(torn.toString());
  });
});
