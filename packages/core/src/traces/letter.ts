/**
 * Reads the letter of an option out of an answer.
 *
 * Rules in order; the first that speaks decides:
 * 1. lone_letter: nothing but the letter, in either case, with brackets, stars or a full stop around it.
 * 2. boxed: the last `\boxed{X}`.
 * 3. leading_letter: a capital and a separator before anything else: "C. A narrow lane", "(B) left".
 * 4. option_text: the answer is the text of one option, or of all options only one stands in it.
 * 5. declared: the last "answer is X", "Answer: X", "Option [X]", "答案：X"; a capital that ends its word.
 * 6. bracketed: the only letter that stands in brackets.
 *
 * A letter that is no option of the question is never read.
 */
export type LetterRule =
  | "lone_letter"
  | "boxed"
  | "leading_letter"
  | "option_text"
  | "declared"
  | "bracketed";

export type LetterReading =
  | { letter: string; rule: LetterRule; reason: null }
  | { letter: null; rule: null; reason: string };

/** The options of a question: their texts, or only how many there are. */
export type Options = { count: number; texts: readonly string[] };

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

const normalise = (text: string) =>
  text
    .toLowerCase()
    .replace(/[\s*_`"'“”‘’.,:;!?()[\]]+/g, " ")
    .trim();

function readLoneLetter(text: string): string | null {
  return /^[\s*_`"'([{$<]*([A-Za-z])[\s*_`"')\]}$>.,:;、。]*$/.exec(text)?.[1]?.toUpperCase() ?? null;
}

function readBoxed(text: string): string | null {
  const matches = [
    ...text.matchAll(/\\boxed\{\s*(?:\\(?:text|mathrm|mathbf|textbf)\{\s*)?([A-Z])\b[^}]{0,200}\}/g),
  ];
  return matches.at(-1)?.[1] ?? null;
}

function readLeading(text: string): string | null {
  const match =
    /^[\s*_`"']*(?:[([]\s*([A-Z])\s*[)\]]|([A-Z])\s*(?:[*_`]{1,2}\s*)?[.):,;：、．]|([A-Z])\s+[-–—]\s)/.exec(
      text,
    );
  const letter = match?.[1] ?? match?.[2] ?? match?.[3] ?? null;
  if (letter === null || match === null) return null;
  const isList =
    /^[\s*_`"']*[([]?[A-Z][)\]]?\s*(?:,|;|、)\s*(?:(?:and|or)\s+)?[([]?[A-Z][)\]]?(?![A-Za-z])/.test(text);
  return isList ? null : letter;
}

function readOptionText(text: string, options: Options): string | null {
  const answer = normalise(text);
  const wanted = options.texts.map((option) => normalise(option.replace(/^\s*\(?[A-Z][.):、]\s*/, "")));
  const exact = wanted.flatMap((option, index) => (option !== "" && option === answer ? [index] : []));
  if (exact.length === 1) return LETTERS.charAt(exact[0] ?? 0);
  if (exact.length > 1) return null;
  const padded = ` ${answer} `;
  const held = wanted.flatMap((option, index) =>
    option !== "" && padded.includes(` ${option} `) ? [index] : [],
  );
  const longest = held.filter((index) =>
    held.every((other) => other === index || !(wanted[other] ?? "").includes(wanted[index] ?? "")),
  );
  return longest.length === 1 ? LETTERS.charAt(longest[0] ?? 0) : null;
}

const DECLARED =
  /(?:\b(?:answer|option|choice)\b|答案|选项)(?:\s*(?:is|should be|would be|must be|是|为))?(?:\s*[:：=])?[\s*_`"'([{$\\]*(?:text\{)?([A-Z])(?![A-Za-z])(?!\s+[a-z])/gi;

function readDeclared(text: string): string | null {
  const letters = [...text.matchAll(DECLARED)]
    .map((match) => match[1] ?? "")
    .filter((letter) => /[A-Z]/.test(letter));
  return letters.at(-1) ?? null;
}

function readBracketed(text: string): string | null {
  const letters = new Set([...text.matchAll(/[([]\s*([A-Z])\s*[)\]]/g)].map((match) => match[1] ?? ""));
  return letters.size === 1 ? ([...letters][0] ?? null) : null;
}

/**
 * @param text  The inside of the answer block, or what stands outside the reasoning when there is no block.
 * @param isTagged  False outside an answer block: then option_text wants the whole text, and bracketed is off, because
 *   prose mentions options that it rejects.
 */
export function readLetter(text: string, options: Options, isTagged: boolean): LetterReading {
  if (text.trim() === "")
    return { letter: null, rule: null, reason: isTagged ? "empty answer" : "no answer found" };
  const rules: [LetterRule, string | null][] = [
    ["lone_letter", readLoneLetter(text)],
    ["boxed", readBoxed(text)],
    ["leading_letter", readLeading(text)],
    ["option_text", isTagged || text.length < 200 ? readOptionText(text, options) : null],
    ["declared", readDeclared(text)],
    ["bracketed", isTagged ? readBracketed(text) : null],
  ];
  let refused: string | null = null;
  for (const [rule, letter] of rules) {
    if (letter === null) continue;
    if (LETTERS.indexOf(letter) < options.count) return { letter, rule, reason: null };
    refused ??= letter;
  }
  if (refused !== null) return { letter: null, rule: null, reason: `${refused} is not an option` };
  return { letter: null, rule: null, reason: isTagged ? "no letter in the answer" : "no answer found" };
}
