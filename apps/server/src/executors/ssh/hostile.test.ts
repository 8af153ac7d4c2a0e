import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { loadInstallToken } from "../../data-folder/token.ts";
import { smallRun } from "../../features/runs/testing/launch.ts";
import { processesOf } from "../../features/runs/testing/processes.ts";
import { startSshServer } from "../testing/ssh-server.ts";
import { whyNoSshd } from "../testing/sshd.ts";

const why = whyNoSshd();
if (why !== null) console.warn(`Left out: ${why}`);

/** One launches a run on each of thirteen hosts. */
vi.setConfig({ testTimeout: 400_000 });

type Server = Awaited<ReturnType<typeof startSshServer>>;
const servers: Server[] = [];
afterEach(async () => {
  delete process.env.HF_TOKEN;
  for (const server of servers.splice(0)) await server.close();
});
const start = async (name: string) => {
  const server = await startSshServer(name);
  servers.push(server);
  return server;
};

/** Texts that would do something if a shell, ssh or a path ever read them as more than text. */
const hostile = (canary: string) => [
  `$(touch ${canary})`,
  `\`touch ${canary}\``,
  `; touch ${canary} #`,
  `' && touch ${canary} && '`,
  `" || touch ${canary} || "`,
  `a\ntouch ${canary}\n`,
  `| touch ${canary}`,
  `-oProxyCommand=touch ${canary}`,
  `--`,
  `a b  c\td`,
  `%h %d \${HOME} ~root !! \\`,
  `Ünïcødé 模型 🤖 \u202e`,
  `../../../../etc`,
  `x`.repeat(10_000),
];

const textOf = (file: string) => readFileSync(file, "utf8");

describe.skipIf(why !== null)("hostile texts", () => {
  it("no address that ssh or a shell could read as more reaches them", async () => {
    const { client, sshd, app } = await start("address");
    const canary = join(sshd.folder, "canary");
    const before = app.hosts.ids();
    const addresses = hostile(canary).flatMap((text) => [
      text,
      `user@${text}`,
      `${text}@127.0.0.1`,
      `${text}/..`,
    ]);
    for (const address of [...addresses, "", "@", "-v", "a@-v", "user@", "[::1]", "host:22", "host name"]) {
      for (const ask of [
        () => client.hosts.contact.mutate({ address }),
        () => client.hosts.confirm.mutate({ address, fingerprint: "SHA256:x" }),
        () => client.hosts.attach.mutate({ address, name: "x" }),
      ])
        await expect(ask()).rejects.toThrow(/user name|host/);
    }
    await expect(client.hosts.attach.mutate({ address: "host", port: 70_000, name: "x" })).rejects.toThrow();
    for (const root of ["runs", "", "-rf", "~root/runs", `/a\0b`, "/\ud800", `/${"x".repeat(1001)}`])
      await expect(client.hosts.attach.mutate({ address: "host", name: "x", root })).rejects.toThrow(
        /folder/i,
      );
    expect(app.hosts.ids()).toEqual(before);
    expect(existsSync(canary)).toBe(false);
  });

  it("names, folders, settings and interpreters are carried to the host exactly as they are, or refused", async () => {
    const { client, sshd, app } = await start("carried");
    const canary = join(sshd.folder, "canary");
    const place = { address: sshd.address, port: sshd.port };
    const launched = await Promise.all(
      hostile(canary).map(async (text, index) => {
        // Deep enough that the text which climbs stays in the home.
        const root = `${sshd.home}/1/2/3/4/${index}/${text}`;
        const attach = client.hosts.attach.mutate({ ...place, name: text.slice(0, 200), root });
        if (root.length > 1000) {
          await expect(attach).rejects.toThrow(/too long/);
          return null;
        }
        const { host_id } = await attach;
        const request = smallRun({ max_steps: 2, steps_per_epoch: 2, odd: text.slice(0, 2000) });
        const order = { ...request, name: text, preset: text.slice(0, 80), host_id };
        const { run_id } = await client.runs.launch.mutate(order);
        return { run_id, root, order };
      }),
    );
    for (const entry of launched) {
      if (entry === null) continue;
      const { run_id, root, order } = entry;
      await expect
        .poll(() => app.runs.get(run_id).run, { timeout: 200_000, interval: 200 })
        .toMatchObject({
          state: "done",
        });
      const spec = JSON.parse(textOf(join(root, run_id, "spec.json"))) as typeof order;
      expect(spec).toMatchObject({ name: order.name.trim(), preset: order.preset, settings: order.settings });
    }
    const { host_id } = (await client.hosts.list.query()).at(-1) ?? { host_id: "" };
    for (const text of hostile(canary).slice(0, 9)) {
      const python = `/no/such/${text}`;
      if (python.length > 1000) continue;
      const { job_id } = await client.hosts.prepare.mutate({ host_id, profile: "adopt", python });
      const job = () => app.jobs.list().find((one) => one.job_id === job_id);
      await expect.poll(() => job()?.state, { timeout: 60_000 }).toBe("failed");
      expect(job()?.problem).toContain("No such file");
    }
    expect(existsSync(canary)).toBe(false);
    expect(readdirSync(sshd.folder)).not.toContain("canary");
    expect(readdirSync("/").filter((name) => name.includes("canary"))).toEqual([]);
  });

  it("no token, key or password is in a command line, an environment, a log, an event, the database or an answer", async () => {
    process.env.HF_TOKEN = "secret-of-the-server";
    const server = await start("secrets");
    const { client, sshd, app, dataDir, root, host_id } = server;
    const secrets = [
      "secret-of-the-server",
      loadInstallToken(dataDir),
      ...textOf(join(sshd.folder, "client_key")).split("\n").slice(1, 4),
    ];
    const { run_id } = await client.runs.launch.mutate({ ...smallRun({ steps_per_sec: 2 }), host_id });
    await expect.poll(() => app.runs.get(run_id).run.step ?? 0, { timeout: 60_000 }).toBeGreaterThan(2);
    const processes = processesOf(sshd.folder).map((pid) => {
      try {
        return textOf(`/proc/${pid}/cmdline`) + textOf(`/proc/${pid}/environ`);
      } catch {
        return "";
      }
    });
    expect(processes.length).toBeGreaterThan(2);
    await client.runs.stop.mutate({ run_id });
    await expect.poll(() => app.runs.get(run_id).run.state, { timeout: 60_000 }).toBe("stopped");
    app.db.$client.pragma("wal_checkpoint(TRUNCATE)");
    const files = [
      join(dataDir, "sightline.db"),
      join(dataDir, "ssh/known_hosts"),
      join(root, run_id, "spec.json"),
      ...readdirSync(join(root, run_id, "attempts/001")).map((name) =>
        join(root, run_id, "attempts/001", name),
      ),
    ].map((file) => readFileSync(file, "latin1"));
    const answers = JSON.stringify([
      await client.hosts.list.query(),
      await client.hosts.doctor.mutate({ host_id }),
      await client.runs.get.query({ run_id }),
    ]);
    for (const secret of secrets)
      for (const text of [...processes, ...files, answers]) expect(text.includes(secret)).toBe(false);
  });
});
