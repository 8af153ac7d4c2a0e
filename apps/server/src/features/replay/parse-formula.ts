import type { FormulaNode } from "@sightline/core/replay";
import { parseExpressionAt } from "acorn";

/** Reads one expression of JavaScript; nothing is run. Throws a SyntaxError with `pos`. */
export function parseFormula(text: string): FormulaNode {
  const node = parseExpressionAt(text, 0, { ecmaVersion: 2022, preserveParens: true });
  return node as unknown as FormulaNode;
}
