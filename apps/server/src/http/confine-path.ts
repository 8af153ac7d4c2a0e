import { realpath } from "node:fs/promises";
import { isAbsolute, join, normalize, relative, sep } from "node:path";

/** A path led out of the folder that it was confined to. */
export class PathOutsideError extends Error {
  override name = "PathOutsideError";
}

/**
 * Turns a path that came from outside into a real path under a root.
 *
 * Links are followed before the check, so a link that leads out is refused, whatever its name.
 *
 * @param root  An existing folder that the owner listed, or one of ours.
 * @param path  Relative to the root, with `/` between its parts; `""` is the root itself.
 * @returns The absolute path of an existing file or folder, free of links.
 * @throws PathOutsideError when the path is absolute, climbs, holds a NUL, or a link in it leads out.
 * @throws ENOENT when there is nothing there, or only a link that leads nowhere.
 */
export async function confinePath(root: string, path: string): Promise<string> {
  const climbs = normalize(path).split(sep).includes("..");
  if (path.includes("\0") || isAbsolute(path) || climbs)
    throw new PathOutsideError(`${quote(path)} is outside.`);
  const realRoot = await realpath(root);
  const real = await realpath(join(realRoot, path));
  const inside = relative(realRoot, real);
  if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new PathOutsideError(`${quote(path)} leads out of its folder.`);
  }
  return real;
}

function quote(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}
