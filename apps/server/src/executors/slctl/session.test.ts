import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { HostRefusedError, UnreachableError } from "../executor.ts";
import { openSlctlSession } from "./session.ts";

/** The far end of a session, played by hand. */
function farEnd() {
  const input = new PassThrough();
  const output = new PassThrough();
  const ends: string[] = [];
  const session = openSlctlSession({ input, output, onEnd: (reason) => ends.push(reason) });
  let heard = "";
  input.on("data", (data: Buffer) => {
    heard += data.toString();
  });
  const requests = async (n: number): Promise<Record<string, unknown>[]> => {
    await expect
      .poll(() => heard.split("\n").length - 1, { interval: 2, timeout: 20_000 })
      .toBeGreaterThanOrEqual(n);
    return heard
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const frame = (header: unknown, blob = Buffer.alloc(0)) => {
    const json = Buffer.from(JSON.stringify(header));
    return Buffer.concat([Buffer.from(`${json.length} ${blob.length}\n`), json, blob]);
  };
  const greet = async (noise = "") => {
    const [{ nonce } = {}] = await requests(1);
    output.write(`${noise}\n@slctl 1 ${nonce}\n`);
    output.write(frame({ id: null, ok: true }));
    await session.ready;
  };
  return { session, input, output, ends, requests, frame, greet };
}

describe("a session with slctl", () => {
  it("skips what a login shell prints, a false greeting too", async () => {
    const { greet, session } = farEnd();
    await greet("Welcome!\n12 0\n{}\n@slctl 1 0000\nLast login: today");
    expect(session.ended).toBe(false);
  });

  it("tells answers apart by id, in any order and cut anywhere", async () => {
    const { greet, session, output, requests, frame } = farEnd();
    await greet();
    const first = session.request("a", { x: "$(rm) '\"\n" }, { timeout_secs: 5 });
    const second = session.request("b", {}, { timeout_secs: 5 });
    const [, one, two] = await requests(3);
    expect(one).toMatchObject({ op: "a", x: "$(rm) '\"\n" });
    const bytes = Buffer.concat([
      frame({ id: two?.id, ok: true, n: 2 }, Buffer.from([0, 10, 255])),
      frame({ id: one?.id, ok: true, n: 1 }),
    ]);
    for (const byte of bytes) output.write(Buffer.from([byte]));
    expect(await second).toMatchObject({ header: { n: 2 }, blob: Buffer.from([0, 10, 255]) });
    expect((await first).header.n).toBe(1);
  });

  it("gives a refusal with its code, and goes on", async () => {
    const { greet, session, output, requests, frame } = farEnd();
    await greet();
    const asked = session.request("launch", {}, { timeout_secs: 5 });
    const [, { id } = {}] = await requests(2);
    output.write(frame({ id, ok: false, error: { code: "alive", message: "Stop it first." } }));
    await expect(asked).rejects.toBeInstanceOf(HostRefusedError);
    await expect(asked).rejects.toMatchObject({ code: "alive", message: "Stop it first." });
    expect(session.ended).toBe(false);
  });

  it("fails what is open when the other side goes, hangs, or talks nonsense", async () => {
    const gone = farEnd();
    await gone.greet();
    const asked = gone.session.request("a", {}, { timeout_secs: 5 });
    gone.output.end();
    await expect(asked).rejects.toBeInstanceOf(UnreachableError);
    expect(gone.ends).toHaveLength(1);
    await expect(gone.session.request("a", {}, { timeout_secs: 5 })).rejects.toBeInstanceOf(UnreachableError);

    const hung = farEnd();
    await hung.greet();
    await expect(hung.session.request("a", {}, { timeout_secs: 0.05 })).rejects.toThrow(/within 0.05 s/);
    expect(hung.ends).toHaveLength(1);

    const odd = farEnd();
    await odd.greet();
    const answer = odd.session.request("a", {}, { timeout_secs: 5 });
    odd.output.write("what?\n");
    await expect(answer).rejects.toThrow(/no frame/);
  });

  it("cancels a wait when its caller has gone", async () => {
    const { greet, session, output, requests, frame } = farEnd();
    await greet();
    const off = new AbortController();
    const asked = session.request("read", {}, { timeout_secs: 5, signal: off.signal });
    off.abort();
    const [, read, cancel] = await requests(3);
    expect(cancel).toMatchObject({ op: "cancel", request: read?.id });
    output.write(frame({ id: cancel?.id, ok: true, found: true }));
    output.write(frame({ id: read?.id, ok: true, chunks: [], cancelled: true }));
    expect((await asked).header.cancelled).toBe(true);
  });
});
