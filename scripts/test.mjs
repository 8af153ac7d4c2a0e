// `npm test`: installs what the tests need and runs them all. Node's own modules only until that is done.
//   npm test            everything that a clean clone can run
//   npm test -- checks  everything but what needs a browser (pnpm check)
//   npm test -- field   what needs the real files of SIGHTLINE_SHARED (default: ../shared)
import "./lib/check-node.mjs";

// Not imported above: an old Node would stumble over these before it has been told.
const { runScript, Trouble } = await import("./lib/trouble.mjs");
const { installPackages } = await import("./lib/install.mjs");

await runScript(async () => {
  await installPackages();
  const { register } = await import("tsx/esm/api");
  register();
  const { TESTS, CHECKS, FIELD_TESTS, runSuites } = await import("./lib/suites.ts");
  const [which = "all"] = process.argv.slice(2);
  const suites = { all: TESTS, checks: CHECKS, field: FIELD_TESTS }[which];
  if (suites === undefined)
    throw new Trouble(`There is no "${which}": npm test, or npm test -- checks, or field.`);
  process.exit(await runSuites(suites));
});
