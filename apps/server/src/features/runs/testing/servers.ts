import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { createApp } from "../../../app.ts";
import { prepareDataFolder } from "../../../data-folder/prepare.ts";
import { loadInstallToken } from "../../../data-folder/token.ts";
import { createServer } from "../../../http/server.ts";
import { type Client, connect } from "./client.ts";
import { removeWithProcesses } from "./processes.ts";

/** A fresh data folder; `remove` ends whatever works in it and deletes it. */
export function makeDataDir(name: string): { dataDir: string; remove(): Promise<void> } {
  const dataDir = mkdtempSync(join(tmpdir(), `sightline-${name}-`));
  return {
    dataDir,
    remove: () => removeWithProcesses(dataDir),
  };
}

/**
 * A real server within this process.
 *
 * @param folders  Those that the owner listed.
 */
export async function serveHere(dataDir: string, folders: string[] = []) {
  prepareDataFolder(dataDir);
  const log = pino({ level: process.env.SIGHTLINE_TEST_LOG ?? "silent" });
  const app = await createApp({ dataDir, folders, log });
  const server = await createServer(app);
  await server.listen({ host: "127.0.0.1", port: 0 });
  const address = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const client = await connect(address, loadInstallToken(dataDir));
  return {
    app,
    address,
    client,
    async close() {
      await server.close();
      await app.close();
    },
  };
}

/** A server in a process of its own, to be killed. */
export type ServerProcess = {
  address: string;
  /** The address that lets a browser in. */
  url: string;
  port: number;
  client: Client;
  pid: number;
  /** SIGKILL, and gone when it resolves. */
  kill(): Promise<void>;
};

/** Starts the server as `npm start` does. */
export async function spawnServer(dataDir: string, port = 0): Promise<ServerProcess> {
  const main = join(import.meta.dirname, "../../../main.ts");
  const child: ChildProcess = spawn(
    process.execPath,
    ["--import", "tsx", main, "--port", String(port), "--data", dataDir, "--no-open", "--bare"],
    { stdio: ["ignore", "pipe", "pipe"], cwd: join(import.meta.dirname, "../../../..") },
  );
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const line = await new Promise<string>((resolve, reject) => {
    let text = "";
    const read = (data: Buffer) => {
      text += data.toString();
      const found = /(http:\/\/\S+\/enter\?token=\S+)/.exec(text);
      if (found?.[1]) resolve(found[1]);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
  });
  const url = new URL(line);
  return {
    address: url.origin,
    url: line,
    port: Number(url.port),
    client: await connect(url.origin, url.searchParams.get("token") ?? ""),
    pid: child.pid ?? 0,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
