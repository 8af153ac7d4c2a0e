// Installs the JavaScript packages when the lock file has moved on. Node's own modules only.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Trouble } from "./trouble.mjs";

const ROOT = join(import.meta.dirname, "../..");
const PNPM = "pnpm@12.4.2";
const MODULES = join(ROOT, "node_modules");
const STAMP = join(MODULES, ".sightline-installed");
const NEEDED_BYTES = 1.5e9;

/** @returns {Promise<boolean>} whether anything had to be installed. */
export async function installPackages() {
  const lock = createHash("sha256")
    .update(readFileSync(join(ROOT, "pnpm-lock.yaml")))
    .digest("hex");
  // Compiled packages work with one version of Node's binary interface only.
  const abi = `${process.platform}-${process.arch}-${process.versions.modules}`;
  const [knownLock, knownAbi] = existsSync(STAMP) ? readFileSync(STAMP, "utf8").split(" ") : [];
  if (knownLock === lock && knownAbi === abi) return false;

  if (!existsSync(MODULES)) {
    const { bavail, bsize } = statfsSync(ROOT);
    if (bavail * bsize < NEEDED_BYTES) {
      throw new Trouble(
        `Sightline's packages need about 1.5 GB, and the disk of ${ROOT} has ${((bavail * bsize) / 1e9).toFixed(1)} GB left.\nFree some, and start again.`,
      );
    }
  } else if (knownAbi !== undefined && knownAbi !== abi) {
    rmSync(MODULES, { recursive: true });
  }
  console.log("Installing packages: the first time takes minutes, later starts seconds.");
  const args = ["-y", PNPM, "install", "--frozen-lockfile", "--reporter=append-only"];
  // CI: without it pnpm may stop to ask.
  const env = {
    npm_config_nodedir: findHeaders(),
    ...process.env,
    CI: "true",
    npm_config_update_notifier: "false",
  };
  const { code, withheld } = await runQuietly("npx", args, env);
  if (code !== 0) {
    console.error(withheld.slice(-40).join("\n"));
    throw new Trouble(
      "The packages could not be installed: see above.\nThe first start needs the network, and a C++ compiler (g++, make, python3) where no compiled SQLite can be downloaded.",
    );
  }
  writeFileSync(STAMP, `${lock} ${abi}`);
  return true;
}

/** Shows a command's progress, but withholds what a compiler says, which only matters when it fails. */
async function runQuietly(command, args, env) {
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env,
    shell: process.platform === "win32",
  });
  const withheld = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      if (/^\S+ (?:pre|post)?install: /.test(line)) withheld.push(line);
      else console.log(line);
    });
  }
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, withheld };
}

/** Node's own headers, where it was installed with them: then compiling needs no download. */
function findHeaders() {
  const prefix = dirname(dirname(realpathSync(process.execPath)));
  const file = join(prefix, "include/node/node_version.h");
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const read = (part) => new RegExp(`define NODE_${part}_VERSION (\\d+)`).exec(text)?.[1];
  const version = ["MAJOR", "MINOR", "PATCH"].map(read).join(".");
  return version === process.versions.node ? prefix : undefined;
}
