// `pnpm bench NAME` and `pnpm soak NAME`: runs every bench/NAME*.ts (or soak/NAME*.ts) of the parts of the house.
// Each prints one JSON line per figure, as {"id","value","unit","target","ok",…}. Without a name it lists them.
import "./lib/check-node.mjs";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const [kind, name, ...rest] = process.argv.slice(2);

const found = ["packages", "apps"]
  .flatMap((home) => readdirSync(join(ROOT, home)).map((part) => join(home, part, kind)))
  .filter((folder) => existsSync(join(ROOT, folder)))
  .flatMap((folder) => readdirSync(join(ROOT, folder)).map((file) => join(folder, file)))
  .filter((file) => /\.ts$/.test(file) && !/\.(test|d)\.ts$/.test(file));
const nameOf = (file) => file.split(/[\\/]/).at(-1).replace(/\.ts$/, "");

if (name === undefined) {
  console.log(`pnpm ${kind} NAME, where NAME begins one of:`);
  for (const file of found) console.log(`  ${nameOf(file).padEnd(24)} ${file}`);
} else {
  const chosen = found.filter((file) => nameOf(file).startsWith(name));
  if (chosen.length === 0) {
    console.error(`No ${kind} begins with "${name}". pnpm ${kind} lists them.`);
    process.exitCode = 1;
  }
  for (const file of chosen) {
    console.error(`── ${file}`);
    const { status } = spawnSync(process.execPath, ["--import", "tsx", file, ...rest], {
      cwd: ROOT,
      stdio: "inherit",
    });
    if (status !== 0) process.exitCode = 1;
  }
}
