import { renameSync, statSync } from "node:fs";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { type App, createApp } from "./app.ts";
import { lockDataFolder } from "./data-folder/lock.ts";
import { prepareDataFolder } from "./data-folder/prepare.ts";
import { explainStartFailure, StartError } from "./data-folder/start-error.ts";
import { loadInstallToken } from "./data-folder/token.ts";
import { createServer } from "./http/server.ts";
import { createTicket } from "./http/session.ts";
import { openBrowser } from "./open-browser.ts";

const LOG_LIMIT_BYTES = 16 * 1024 * 1024;

/** How long open requests and background work get to end in good order, in milliseconds. */
const CLOSE_LIMIT_MS = 10_000;

type StartOptions = {
  port: number;
  host: string;
  dataDir: string;
  folders: string[];
  open: boolean;
  /** Neither samples nor a trainer: for tests and for servers that only look. */
  bare: boolean;
};

/**
 * Starts Sightline on a data folder, prints its address and serves until SIGTERM or SIGINT.
 *
 * @throws StartError when it can't, with everything that was opened closed again.
 */
export async function startServer({ port, host, dataDir, folders, open, bare }: StartOptions): Promise<void> {
  const undo: (() => unknown)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    prepareDataFolder(dataDir);
    const lock = lockDataFolder(dataDir);
    undo.push(() => lock.release());
    const log = openLog(dataDir);
    const token = loadInstallToken(dataDir);
    const app = await createApp({ dataDir, log, folders, samples: !bare });
    undo.push(() => app.close());
    const server = await createServer(app);
    undo.push(() => server.close());
    await listen(server, host, port);

    const address = `http://${host === "::1" ? "[::1]" : host}:${(server.server.address() as AddressInfo).port}`;
    lock.announce(`${address}/enter?token=${token}`);
    closeOnSignal(close);
    log.info({ address }, "listening");
    process.stdout.write(`\n  Sightline  ${address}/enter?token=${token}\n  Data       ${dataDir}\n\n`);
    if (!bare) prepareTrainer(app);
    if (open) openBrowser(`${address}/enter?ticket=${createTicket(token, Date.now() / 1000)}`);
  } catch (error) {
    await close();
    throw explainStartFailure(error, dataDir) ?? error;
  }
}

/** Prepares the trainer in the background and says how far it is; the page works without it. */
function prepareTrainer({ environment, jobs, log }: App) {
  const say = (text: string) => process.stdout.write(`  Trainer    ${text}\n`);
  const follow = async () => {
    const job = await environment.prepare();
    if (job === null) return;
    say("being prepared in the background; the page works without it");
    let shown = 0;
    const watch = setInterval(() => {
      const now = jobs.list().find(({ job_id }) => job_id === job.job_id);
      const percent = now?.total ? Math.floor((100 * now.done) / now.total) : 0;
      if (percent >= shown + 20) say(`${percent} %`);
      shown = Math.max(shown, percent - (percent % 20));
      if (now?.state === "waiting" || now?.state === "running") return;
      clearInterval(watch);
      say(now?.state === "done" ? "ready" : (now?.problem?.split("\n")[0] ?? "not ready"));
    }, 1000);
    watch.unref();
  };
  follow().catch((error: unknown) => log.warn({ err: error }, "preparing the trainer"));
}

function openLog(dataDir: string) {
  const file = join(dataDir, "logs", "server.log");
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_LIMIT_BYTES) renameSync(file, `${file}.1`);
  const destination = pino.destination({ dest: file, mode: 0o600, sync: true });
  // A full disk must not end the server over a line of its log.
  destination.on("error", () => undefined);
  return pino({ level: "info" }, destination);
}

async function listen(server: FastifyInstance, host: string, port: number) {
  try {
    await server.listen({ host, port });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new StartError(
        `Port ${port} is taken.\nA free one: npm start -- --port ${await findFreePort(host, port + 1)}`,
      );
    }
    if (code === "EACCES") {
      throw new StartError(
        `This user may not listen on port ${port}.\nTake one above 1023: npm start -- --port 4700`,
      );
    }
    if (code === "EADDRNOTAVAIL" || code === "EAFNOSUPPORT") {
      throw new StartError(
        `This machine has no address ${host}.\nUse another: npm start -- --host 127.0.0.1`,
      );
    }
    throw error;
  }
}

/** The first free port from `from` on, or any free one where those end. */
async function findFreePort(host: string, from: number): Promise<number> {
  for (let port = from; port < Math.min(from + 100, 65_536); port += 1) {
    if ((await tryPort(host, port)) !== null) return port;
  }
  return (await tryPort(host, 0)) ?? 0;
}

function tryPort(host: string, port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const probe = createSocketServer();
    probe.once("error", () => resolve(null));
    probe.listen(port, host, () => {
      const { port: taken } = probe.address() as AddressInfo;
      probe.close(() => resolve(taken));
    });
  });
}

function closeOnSignal(close: () => Promise<void>) {
  let isClosing = false;
  const onSignal = () => {
    // The second Ctrl-C of someone who won't wait.
    if (isClosing) process.exit(1);
    isClosing = true;
    setTimeout(() => process.exit(1), CLOSE_LIMIT_MS).unref();
    close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
}
