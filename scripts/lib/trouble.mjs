/** Something that the person at the terminal can mend: its message is shown without a stack. */
export class Trouble extends Error {}

/** Runs a script's work; a Trouble ends it with its message and exit code 1. */
export async function runScript(work) {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Trouble)) throw error;
    console.error(`\n${error.message}\n`);
    process.exit(1);
  }
}
