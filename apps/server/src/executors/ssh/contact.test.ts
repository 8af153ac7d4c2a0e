import { describe, expect, it } from "vitest";
import { whyNoSshd } from "../testing/sshd.ts";
import { startTestHost } from "../testing/test-host.ts";

const why = whyNoSshd();
if (why !== null) console.warn(`Left out: ${why}`);

const { signal } = new AbortController();

/** How many have called; what a call said at its end may be written later. */
const calls = (log: string) => log.match(/Connection from/g)?.length ?? 0;

describe.skipIf(why !== null)("first contact", () => {
  it("shows the key's fingerprint and trusts nothing until a person confirms it", async () => {
    const { ssh, sshd, executor } = await startTestHost("contact", { trusted: false });
    const target = { address: sshd.address, port: sshd.port };
    const shown = { type: "ssh-ed25519", fingerprint: sshd.fingerprint() };
    expect(await ssh.contact(target, signal)).toMatchObject({
      state: "new",
      host_keys: [shown],
      target: { hostname: "127.0.0.1", port: sshd.port },
    });
    expect(await ssh.contact(target, signal)).toMatchObject({ state: "new" });
    await expect(executor.doctor(signal)).rejects.toMatchObject({ kind: "host_key_unknown", exit_code: 77 });
    const log = sshd.log();
    expect(log).not.toMatch(/Accepted publickey/);

    expect(await ssh.confirm(target, "SHA256:other", false, signal)).toMatchObject({ state: "new" });
    expect(await ssh.confirm(target, shown.fingerprint, false, signal)).toMatchObject({ state: "known" });
    await expect(executor.doctor(signal)).rejects.toMatchObject({ kind: "host_key_unknown" });
    executor.tryAgain();
    expect(await executor.doctor(signal)).toMatchObject({ noise_bytes: 0, root_is_writable: true });
  });

  it("reads aliases, ports and keys of the user's own config", async () => {
    const { ssh, sshd } = await startTestHost("alias");
    expect(await ssh.contact({ address: "testhost", port: null }, signal)).toMatchObject({
      state: "known",
      target: { hostname: "127.0.0.1", port: sshd.port },
    });
  });

  it("a changed key is a hard stop, explained, and accepted only on purpose", async () => {
    const { ssh, sshd, executor } = await startTestHost("changed", { config: ["LogLevel VERBOSE"] });
    const target = { address: sshd.address, port: sshd.port };
    const old = sshd.fingerprint();
    await executor.doctor(signal);
    sshd.changeKey();
    await sshd.start();
    await expect(executor.doctor(signal)).rejects.toThrow(/./);
    executor.tryAgain();
    await expect(executor.doctor(signal)).rejects.toMatchObject({
      kind: "host_key_changed",
      exit_code: 77,
      message: expect.stringMatching(/another key.*Nothing was sent.*fingerprint/),
    });
    const before = calls(sshd.log());
    await expect(executor.doctor(signal)).rejects.toMatchObject({ kind: "host_key_changed" });
    expect(calls(sshd.log())).toBe(before);

    const contact = await ssh.contact(target, signal);
    expect(contact).toMatchObject({
      state: "changed",
      known_keys: [{ fingerprint: old }],
      host_keys: [{ fingerprint: sshd.fingerprint() }],
    });
    const fingerprint = sshd.fingerprint();
    expect(await ssh.confirm(target, fingerprint, false, signal)).toMatchObject({ state: "changed" });
    expect(await ssh.confirm(target, fingerprint, true, signal)).toMatchObject({ state: "known" });
    executor.tryAgain();
    expect((await executor.doctor(signal)).hostname).not.toBe("");
  });

  it("tells a refused account from a silent network", async () => {
    const { ssh, sshd, executor } = await startTestHost("auth", { config: ["AuthorizedKeysFile none"] });
    await expect(executor.doctor(signal)).rejects.toMatchObject({ kind: "auth", exit_code: 77 });
    expect(await ssh.contact({ address: sshd.address, port: sshd.port }, signal)).toMatchObject({
      state: "known",
    });
    await sshd.stop();
    executor.tryAgain();
    await expect(executor.doctor(signal)).rejects.toMatchObject({ kind: "network", exit_code: null });
    expect(await ssh.contact({ address: sshd.address, port: sshd.port }, signal)).toMatchObject({
      state: "unreachable",
      host_keys: [],
    });
    expect(await ssh.contact({ address: "no.such.host.invalid", port: null }, signal)).toMatchObject({
      state: "unreachable",
      problem: expect.stringMatching(/name/),
    });
  });
});
