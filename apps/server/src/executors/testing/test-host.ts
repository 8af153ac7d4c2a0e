import { onTestFinished } from "vitest";
import { startSshHost, type TestHost } from "./ssh-host.ts";

/** Starts an SSH host for one test: it goes when the test has ended. */
export async function startTestHost(...args: Parameters<typeof startSshHost>): Promise<TestHost> {
  const host = await startSshHost(...args);
  onTestFinished(() => host.close());
  return host;
}
