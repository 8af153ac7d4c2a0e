// Installs the JavaScript packages when the lock file has moved on. Node's own modules only.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, realpathSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Trouble } from "./trouble.mjs";

const ROOT = join(import.meta.dirname, "../..");
const PNPM = "pnpm@12.4.2";
const MODULES = join(ROOT, "node_modules");
const STAMP = join(MODULES, ".sightline-installed");
const NEEDED_BYTES = 1.5e9;

/** @returns {boolean} whether anything had to be installed. */
export function installPackages() {
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
  console.log("Installing packages (the first time takes a minute or two) …");
  const { status } = spawnSync(
    "npx",
    ["-y", PNPM, "install", "--frozen-lockfile", "--reporter=append-only"],
    {
      cwd: ROOT,
      stdio: ["ignore", "inherit", "inherit"],
      // CI: without it pnpm may stop to ask.
      env: {
        npm_config_nodedir: findHeaders(),
        ...process.env,
        CI: "true",
        npm_config_update_notifier: "false",
      },
      shell: process.platform === "win32",
    },
  );
  if (status !== 0) {
    throw new Trouble(
      "The packages could not be installed: see above.\nThe first start needs the network, and a C++ compiler (g++, make, python3) where no compiled SQLite can be downloaded.",
    );
  }
  writeFileSync(STAMP, `${lock} ${abi}`);
  return true;
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
