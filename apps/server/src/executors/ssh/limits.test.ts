import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { TestHost } from "../testing/ssh-host.ts";
import { whyNoSshd } from "../testing/sshd.ts";
import { startTestHost } from "../testing/test-host.ts";
import { makeSshFolder } from "./folder.ts";
import { createSshLink } from "./link.ts";

const why = whyNoSshd();
if (why !== null) console.warn(`Left out: ${why}`);

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
const { signal } = new AbortController();

const connections = (host: TestHost) => host.sshd.log().match(/Accepted publickey/g)?.length ?? 0;

/** Two channels over one link: the second shares the first one's connection where the host lets it. */
async function openTwo({ sshd, dataDir }: TestHost) {
  const folder = makeSshFolder({ dataDir, user_config: sshd.client_config });
  const link = createSshLink(folder, { address: sshd.address, port: sshd.port });
  cleanups.push(
    () => folder.remove(),
    () => link.close(),
  );
  return [await link.open(), await link.open()];
}

const attempts = (log: string) => log.match(/Connection from|drop connection/g)?.length ?? 0;

/** Takes a place among those who have not logged in yet, and keeps it. */
async function squat(port: number): Promise<Socket> {
  for (;;) {
    const socket = connect({ host: "127.0.0.1", port });
    const [greeting] = (await once(socket, "data")) as [Buffer];
    if (greeting.toString().startsWith("SSH-")) return socket;
    socket.destroy();
  }
}

describe.skipIf(why !== null)("limits of a host", () => {
  it("shares one connection, and takes another where MaxSessions is hit", async () => {
    const roomy = await startTestHost("roomy");
    expect(await openTwo(roomy)).toHaveLength(2);
    expect(connections(roomy)).toBe(1);
    const tight = await startTestHost("tight", { config: ["MaxSessions 1"] });
    expect(await openTwo(tight)).toHaveLength(2);
    expect(connections(tight)).toBe(2);
  });

  it("says that a host lets no session in, and is in again when it does", async () => {
    const { sshd, executor } = await startTestHost("closed", { config: ["MaxSessions 0"] });
    await expect(executor.doctor(signal)).rejects.toMatchObject({ kind: "sessions", exit_code: null });
    await sshd.start({ config: [] });
    await expect
      .poll(() => executor.doctor(signal).then(({ slctl }) => slctl, String), { timeout: 60_000 })
      .toMatch(/^\d/);
  });

  it("waits with growing pauses while a host drops new connections, and comes in when there is room", async () => {
    const { sshd, executor } = await startTestHost("startups", {
      config: ["MaxStartups 1:100:1", "LogLevel VERBOSE"],
    });
    const squatter = await squat(sshd.port);
    cleanups.push(() => squatter.destroy());
    const before = attempts(sshd.log());
    const until = Date.now() + 4000;
    while (Date.now() < until || attempts(sshd.log()) - before < 2) {
      await expect(executor.doctor(signal)).rejects.toMatchObject({ kind: "network" });
      await setTimeout(20);
    }
    expect(attempts(sshd.log()) - before).toBeLessThan(8);
    squatter.destroy();
    await expect
      .poll(() => executor.doctor(signal).then(({ slctl }) => slctl, String), { timeout: 60_000 })
      .toMatch(/^\d/);
  });
});
