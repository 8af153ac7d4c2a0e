import { CommandProblem, readHelp, readOptions } from "./options.ts";

const stop = new AbortController();

function stopOnSignal() {
  const onSignal = () => {
    // The second Ctrl-C of someone who won't wait.
    if (stop.signal.aborted) process.exit(130);
    stop.abort(new DOMException("stopped", "AbortError"));
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
}

try {
  const options = readOptions(process.argv.slice(2), process.env.INIT_CWD ?? process.cwd());
  if (options === null) process.stdout.write(readHelp());
  else {
    stopOnSignal();
    // Loaded late, so that a wrong option is answered at once.
    const { selectFolder } = await import("./select-folder.ts");
    process.exitCode = await selectFolder(options, process.stderr, stop.signal);
  }
} catch (error) {
  if (stop.signal.aborted) process.exitCode = 130;
  else if (error instanceof CommandProblem) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  } else throw error;
}
