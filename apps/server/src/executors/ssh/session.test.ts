import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { spec } from "../testing/sim-spec.ts";
import { canMountHere, whyNoSshd } from "../testing/sshd.ts";
import { startTestHost } from "../testing/test-host.ts";

const why = whyNoSshd();
if (why !== null) console.warn(`Left out: ${why}`);

const canMount = canMountHere();
if (!canMount) console.warn("Left out: hiding Python from a session needs root and mount namespaces.");

const { signal } = new AbortController();

describe.skipIf(why !== null)("a session on a host", () => {
  it("survives a login shell that prints banners on both outputs, and says how loud it is", async () => {
    const { sshd, executor } = await startTestHost("noise");
    writeFileSync(
      join(sshd.home, ".bashrc"),
      `echo "Welcome to the cluster"; echo "@slctl 1 0123" ; echo "Permission denied (publickey)." >&2
head -c 100000 /dev/zero | tr '\\0' 'x'; printf '\\n@slctl-boot 00 {"word": "here"}\\n'; echo no newline at the end | tr -d '\\n'\n`,
    );
    writeFileSync(join(sshd.folder, "banner"), "All activity is logged. Permission denied (publickey).\n");
    await sshd.start({ config: [`Banner ${sshd.folder}/banner`] });
    const facts = await executor.doctor(signal);
    expect(facts.noise_bytes).toBeGreaterThan(100_000);
    const order = { run_id: "run-a", attempt: 1, spec: spec("run-a", { steps_per_sec: 1 }) };
    const status = await executor.launch(order, signal);
    expect(status.dead).toBe(false);
  });

  it("ends where a shell never stops talking, and says what to mend", async () => {
    const { sshd, executor } = await startTestHost("flood");
    writeFileSync(join(sshd.home, ".bashrc"), "yes talk\n");
    await expect(executor.doctor(signal)).rejects.toMatchObject({ kind: "shell" });
  });

  it.skipIf(!canMount)("says which Python it found where none is new enough", async () => {
    const { sshd, executor } = await startTestHost("python");
    const bin = join(sshd.folder, "bin");
    mkdirSync(bin);
    const old = join(bin, "python3");
    writeFileSync(old, '#!/bin/sh\ncase "$*" in *exit*) exit 1 ;; esac\necho 3 8 10\n', { mode: 0o755 });
    const system = ["/usr/bin/python3", "/usr/local/bin/python3"]
      .filter(existsSync)
      .map((path) => realpathSync(path));
    const hide = system.map((path) => `mount --bind ${old} ${path}`).join(" && ");
    const command = join(sshd.folder, "command");
    writeFileSync(
      command,
      `#!/bin/sh\nexec unshare -m sh -c '${hide} && PATH=${bin} && eval "$SSH_ORIGINAL_COMMAND"'\n`,
      { mode: 0o755 },
    );
    await sshd.start({ config: [`ForceCommand ${command}`] });
    await expect(executor.doctor(signal)).rejects.toMatchObject({
      kind: "no_python",
      message: expect.stringMatching(/Python 3\.10 or newer .* is 3\.8\.10\)\. Install python3/),
    });
    await sshd.start({ config: [] });
    executor.tryAgain();
    expect(await executor.doctor(signal)).toMatchObject({ python: expect.stringMatching(/^3\./) });
  });
});
