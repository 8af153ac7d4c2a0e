import { ExchangeProblem } from "./types.ts";

/** @throws ExchangeProblem with the line where the text stops being JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const at = findPosition(error, text);
    const line = text.slice(0, at).split("\n").length;
    throw new ExchangeProblem(
      at >= text.trimEnd().length
        ? `line ${line}: the JSON ends too early. Was the file cut short?`
        : `line ${line}: this is no JSON.`,
      { cause: error },
    );
  }
}

/** Where the engine's message says that it stumbled; the end where it does not say. */
function findPosition(error: unknown, text: string): number {
  const message = error instanceof Error ? error.message : "";
  const position = /position (\d+)/.exec(message)?.[1];
  return position === undefined ? text.length : Number(position);
}
