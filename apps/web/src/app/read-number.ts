/**
 * What stands in a number field, which hands out text where a number has zeros at its end ("0.80").
 *
 * @returns Null while it is no number yet.
 */
export function readNumber(value: number | string): number | null {
  if (typeof value === "string" && value.trim() === "") return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
