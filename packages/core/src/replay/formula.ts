/**
 * Rewards that a person writes as a formula. A parser of JavaScript reads it; here every node that is not arithmetic,
 * a comparison, a choice or one of the named functions is refused, so that a formula can only count.
 */

/** Facts of one completion, by the names that a formula uses. Text and numbers may be null: not known. */
export type Facts = {
  format: number | null;
  accuracy: number | null;
  consistency: number | null;
  weighted: number | null;
  tokens: number;
  truncated: boolean;
  think_chars: number;
  answer_chars: number;
  letter: string | null;
  gold: string | null;
  task: string;
  step: number;
  epoch: number;
  stage: number;
};

type Kind = "number" | "truth" | "text" | "nothing";

/** What a formula can use: kind and meaning of each name. */
export const FACTS: Record<keyof Facts, { kind: Kind; says: string }> = {
  format: { kind: "number", says: "raw format part, 0 to 1" },
  accuracy: { kind: "number", says: "raw accuracy part, 0 to 1; null where the gold can't be read" },
  consistency: { kind: "number", says: "raw consistency part; null where the judge was not asked or failed" },
  weighted: { kind: "number", says: "the weighted sum of the three, by the weights chosen" },
  tokens: { kind: "number", says: "length of the completion in tokens" },
  truncated: { kind: "truth", says: "it was cut at the longest length" },
  think_chars: { kind: "number", says: "characters of the reasoning" },
  answer_chars: { kind: "number", says: "characters inside the answer block" },
  letter: { kind: "text", says: "the letter that was read; null without any" },
  gold: { kind: "text", says: "the right letter" },
  task: { kind: "text", says: "the question's task" },
  step: { kind: "number", says: "training step, from 1" },
  epoch: { kind: "number", says: "epochs done when the step began" },
  stage: { kind: "number", says: "0-based number of the stage" },
};

/** A function of numbers. */
type Counting = { least: number; most: number; run: (...values: number[]) => number };

/** Functions of a formula: how many numbers they take. */
export const FUNCTIONS: Record<string, Counting> = {
  min: { least: 1, most: 8, run: Math.min },
  max: { least: 1, most: 8, run: Math.max },
  abs: { least: 1, most: 1, run: Math.abs },
  round: { least: 1, most: 1, run: Math.round },
  sqrt: { least: 1, most: 1, run: Math.sqrt },
  exp: { least: 1, most: 1, run: Math.exp },
  log: { least: 1, most: 1, run: Math.log },
  clamp: {
    least: 3,
    most: 3,
    run: (value: number, low: number, high: number) => Math.min(high, Math.max(low, value)),
  },
};

/** Longest formula, in characters. */
export const MAX_FORMULA = 2000;

/** What is wrong with a formula, and which characters of it are meant: [from, to). */
export type FormulaFault = { message: string; from: number; to: number };

/** A node as parsers of JavaScript give it (ESTree), as far as it is looked at. */
export type FormulaNode = { type: string; start: number; end: number } & Record<string, unknown>;

type Value = number | boolean | string | null;
type Term = { kind: Kind; run: (facts: Facts) => Value };

class Refusal extends Error {
  readonly from: number;
  readonly to: number;

  constructor(message: string, { start, end }: { start: number; end: number }) {
    super(message);
    this.from = start;
    this.to = end;
  }
}

const KINDS: Record<Kind, string> = {
  number: "a number",
  truth: "true or false",
  text: "a text",
  nothing: "null",
};

const REFUSED: Record<string, string> = {
  AssignmentExpression: "A formula can't set a value. To compare write ==.",
  UpdateExpression: "A formula can't set a value.",
  SequenceExpression: "One formula only: commas stand between the numbers of a function.",
  MemberExpression: "A name here has no parts: write it without a dot or brackets.",
  TemplateLiteral: "Write text in quotes.",
};

const asNumber = (value: Value): number | null =>
  typeof value === "string" ? null : value === null ? null : +value;

function needCountable(term: Term, node: FormulaNode): void {
  if (term.kind === "text") throw new Refusal("This is a text, and a number is needed.", node);
}

const ARITHMETIC: Record<string, (a: number, b: number) => number> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a % b,
  "**": (a, b) => a ** b,
};
const ORDER: Record<string, (a: number, b: number) => boolean> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
};

function readBinary(node: FormulaNode): Term {
  const [left, right] = [node.left as FormulaNode, node.right as FormulaNode];
  const [a, b] = [read(left), read(right)];
  const operator = String(node.operator);
  if (/^[!=]==?$/.test(operator)) {
    const isText = (term: Term) => term.kind === "text";
    if (isText(a) !== isText(b) && a.kind !== "nothing" && b.kind !== "nothing")
      throw new Refusal(`${KINDS[a.kind]} is compared with ${KINDS[b.kind]}.`, node);
    const plain = (value: Value) => (typeof value === "boolean" ? +value : value);
    const isNot = operator.startsWith("!");
    return { kind: "truth", run: (facts) => (plain(a.run(facts)) === plain(b.run(facts))) !== isNot };
  }
  needCountable(a, left);
  needCountable(b, right);
  const [count, order] = [ARITHMETIC[operator], ORDER[operator]];
  if (!count && !order) throw new Refusal(`“${operator}” is not part of a formula.`, node);
  const run = count ?? order;
  return {
    kind: count ? "number" : "truth",
    run(facts) {
      const [x, y] = [asNumber(a.run(facts)), asNumber(b.run(facts))];
      return x === null || y === null || !run ? null : run(x, y);
    },
  };
}

function readLogical(node: FormulaNode): Term {
  const [left, right] = [node.left as FormulaNode, node.right as FormulaNode];
  const [a, b] = [read(left), read(right)];
  if (node.operator === "??") {
    if ((a.kind === "text") !== (b.kind === "text") && a.kind !== "nothing" && b.kind !== "nothing")
      throw new Refusal(`Both sides of ?? must be alike, not ${KINDS[a.kind]} and ${KINDS[b.kind]}.`, node);
    return { kind: a.kind === "nothing" ? b.kind : a.kind, run: (facts) => a.run(facts) ?? b.run(facts) };
  }
  needCountable(a, left);
  needCountable(b, right);
  const decides = node.operator === "||";
  const truth = (value: Value) => (value === null ? null : Boolean(value));
  return {
    kind: "truth",
    run(facts) {
      const first = truth(a.run(facts));
      if (first === decides) return decides;
      const second = truth(b.run(facts));
      if (second === decides) return decides;
      return first === null || second === null ? null : !decides;
    },
  };
}

function readCall(node: FormulaNode): Term {
  const callee = node.callee as FormulaNode;
  const name = callee.type === "Identifier" ? String(callee.name) : "";
  const counting = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!counting)
    throw new Refusal(`There is no such function. There are ${Object.keys(FUNCTIONS).join(", ")}.`, callee);
  const { least, most, run } = counting;
  const given = node.arguments as FormulaNode[];
  if (given.length < least || given.length > most)
    throw new Refusal(
      `${name} takes ${least === most ? least : `${least} to ${most}`} ${most === 1 ? "number" : "numbers"}, not ${given.length}.`,
      node,
    );
  const terms = given.map((one) => {
    const term = read(one);
    needCountable(term, one);
    return term;
  });
  return {
    kind: "number",
    run(facts) {
      const values: number[] = [];
      for (const term of terms) {
        const value = asNumber(term.run(facts));
        if (value === null) return null;
        values.push(value);
      }
      return run(...values);
    },
  };
}

function read(node: FormulaNode): Term {
  switch (node.type) {
    case "Literal": {
      const { value } = node;
      if (typeof value === "number") return { kind: "number", run: () => value };
      if (typeof value === "boolean") return { kind: "truth", run: () => value };
      if (typeof value === "string") return { kind: "text", run: () => value };
      if (value === null && node.raw === "null") return { kind: "nothing", run: () => null };
      throw new Refusal("Only numbers and texts in quotes can stand here.", node);
    }
    case "Identifier": {
      const name = String(node.name);
      if (!Object.hasOwn(FACTS, name))
        throw new Refusal(
          `There is no value called ${name}. There are ${Object.keys(FACTS).join(", ")}.`,
          node,
        );
      const key = name as keyof Facts;
      return { kind: FACTS[key].kind, run: (facts) => facts[key] };
    }
    case "UnaryExpression": {
      const argument = node.argument as FormulaNode;
      const term = read(argument);
      needCountable(term, argument);
      const count = (apply: (value: number) => Value) => (facts: Facts) => {
        const value = asNumber(term.run(facts));
        return value === null ? null : apply(value);
      };
      if (node.operator === "-") return { kind: "number", run: count((value) => -value) };
      if (node.operator === "+") return { kind: "number", run: count((value) => value) };
      if (node.operator === "!") return { kind: "truth", run: count((value) => value === 0) };
      throw new Refusal(`“${String(node.operator)}” is not part of a formula.`, node);
    }
    case "BinaryExpression":
      return readBinary(node);
    case "LogicalExpression":
      return readLogical(node);
    case "ConditionalExpression": {
      const [asked, yes, no] = [node.test, node.consequent, node.alternate] as FormulaNode[];
      if (!asked || !yes || !no) throw new Refusal("A choice needs a question and two answers.", node);
      const [test, one, other] = [read(asked), read(yes), read(no)];
      needCountable(test, asked);
      if (
        (one.kind === "text") !== (other.kind === "text") &&
        one.kind !== "nothing" &&
        other.kind !== "nothing"
      )
        throw new Refusal(
          `Both answers must be alike, not ${KINDS[one.kind]} and ${KINDS[other.kind]}.`,
          node,
        );
      return {
        kind: one.kind === "nothing" ? other.kind : one.kind,
        run(facts) {
          const value = test.run(facts);
          return value === null ? null : value ? one.run(facts) : other.run(facts);
        },
      };
    }
    case "ParenthesizedExpression":
      return read(node.expression as FormulaNode);
    case "CallExpression":
      return readCall(node);
    default:
      throw new Refusal(
        REFUSED[node.type] ??
          "Only numbers, the values listed, + − * / % **, comparisons, ? :, ?? and the functions listed.",
        node,
      );
  }
}

/** The reward of a completion; null where a value that it needs is not known, or where it is no finite number. */
export type Formula = (facts: Facts) => number | null;

/**
 * Turns a parsed formula into the reward that it counts. Arithmetic with null is null: `consistency ?? 0` says what to
 * take in its place.
 *
 * @param parse  Reads one expression of JavaScript from the start of a text, parentheses kept as nodes; throws a
 *   `SyntaxError` with `pos` where it can't.
 */
export function compileFormula(
  text: string,
  parse: (text: string) => FormulaNode,
): { formula: Formula; fault: null } | { formula: null; fault: FormulaFault } {
  const refuse = (message: string, from: number, to: number) => ({
    formula: null,
    fault: { message, from, to: Math.max(to, Math.min(from + 1, text.length)) },
  });
  if (text.trim() === "") return refuse("Write a formula, for instance 0.1 * format + 0.9 * accuracy.", 0, 0);
  if (text.length > MAX_FORMULA)
    return refuse(`A formula has ${MAX_FORMULA} characters at most.`, MAX_FORMULA, text.length);
  try {
    const node = parse(text);
    const rest = text.slice(node.end);
    const after = /\S/.exec(rest);
    if (after)
      return refuse(
        "The formula ends before this: an operator is missing.",
        node.end + after.index,
        text.length,
      );
    const term = read(node);
    if (term.kind === "text" || term.kind === "nothing")
      return refuse(`This gives ${KINDS[term.kind]}; a reward is a number.`, node.start, node.end);
    return {
      formula(facts) {
        const value = asNumber(term.run(facts));
        return value === null || !Number.isFinite(value) ? null : value;
      },
      fault: null,
    };
  } catch (error) {
    if (error instanceof Refusal) return refuse(error.message, error.from, error.to);
    if (error instanceof RangeError) return refuse("The formula is nested too deeply.", 0, text.length);
    if (error instanceof SyntaxError && "pos" in error) {
      const at = Number(error.pos);
      const isEnd = at >= text.trimEnd().length;
      return refuse(isEnd ? "The formula is not finished." : "This can't be read.", at, at + 1);
    }
    throw error;
  }
}
