const STRINGS = /("""|''')[\s\S]*?\1/g;
const FUNCTION = /^def[ \t]+([A-Za-z][A-Za-z0-9_]*)[ \t]*\(/gm;

/**
 * Names of the rewards in a Python file: its functions that stand at the left margin and don't begin with `_`, in their
 * order. The trainer, which runs the file, has the last word.
 */
export function listRewardNames(source: string): string[] {
  const plain = source.replace(/\r\n?/g, "\n").replace(STRINGS, "");
  return [...new Set([...plain.matchAll(FUNCTION)].map(([, name]) => name as string))];
}
