import { spawn } from "node:child_process";

/** Opens the default browser where a person sits in front of this machine; does nothing elsewhere. */
export function openBrowser(url: string): void {
  const command = findOpener();
  if (command === null) return;
  const [program, ...args] = command;
  const child = spawn(program, [...args, url], { detached: true, stdio: "ignore" });
  // A desktop without an opener: the address is printed all the same.
  child.once("error", () => undefined);
  child.unref();
}

function findOpener(): [string, ...string[]] | null {
  const { CI, SSH_CONNECTION, DISPLAY, WAYLAND_DISPLAY } = process.env;
  if (CI !== undefined || SSH_CONNECTION !== undefined) return null;
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return ["explorer.exe"];
  return DISPLAY !== undefined || WAYLAND_DISPLAY !== undefined ? ["xdg-open"] : null;
}
