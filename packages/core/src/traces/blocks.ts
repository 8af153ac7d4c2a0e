/** Half-open range of UTF-16 code units in a text. */
export type Span = [from: number, to: number];

/** One `<think>` or `<answer>` block. `inner` is what stands between the tags. */
export type Block = { tag: "think" | "answer"; outer: Span; inner: Span; opened: boolean; closed: boolean };

/** Tokens that end a turn; they are no part of the answer, but stay visible in the raw text. */
const END_TOKENS = ["<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|end|>", "<end_of_turn>", "</s>"];

/** What chat templates write before the completion. */
const ASSISTANT_MARKERS = [
  "<|im_start|>assistant",
  "<|start_header_id|>assistant<|end_header_id|>",
  "<|assistant|>",
  "<start_of_turn>model",
  "[/INST]",
  "\nAssistant:",
];

/** Where the completion begins in a text that may hold its prompt as well: after the last assistant marker, else 0. */
export function findCompletionStart(text: string): number {
  return Math.max(
    0,
    ...ASSISTANT_MARKERS.map((marker) => {
      const at = text.lastIndexOf(marker);
      return at < 0 ? 0 : at + marker.length;
    }),
  );
}

/** Where the text ends once end-of-turn tokens and white space behind it are left out. */
export function findContentEnd(text: string): number {
  let end = text.trimEnd().length;
  for (let again = true; again; ) {
    again = false;
    for (const token of END_TOKENS)
      if (text.slice(0, end).endsWith(token)) {
        end = text.slice(0, end - token.length).trimEnd().length;
        again = true;
      }
  }
  return end;
}

/** True when a prompt's last words open the reasoning, so that the completion starts inside it. */
export function opensThink(prompt: string | null): boolean {
  return prompt?.trimEnd().endsWith("<think>") === true;
}

/**
 * Every think and answer block of a completion in order of appearance. A tag that is never closed runs to the end, or
 * to the next tag of the other kind; a closing think tag without its opening one makes a block from the start.
 */
export function findBlocks(text: string, from: number, to: number): Block[] {
  const blocks: Block[] = [];
  let open: { tag: Block["tag"]; outer: number; inner: number } | null = null;
  const close = (inner: number, outer: number, closed: boolean) => {
    if (!open) return;
    blocks.push({
      tag: open.tag,
      outer: [open.outer, outer],
      inner: [open.inner, inner],
      opened: true,
      closed,
    });
    open = null;
  };
  for (const match of text.slice(from, to).matchAll(/<(\/?)(think|answer)>/g)) {
    const at = from + match.index;
    const end = at + match[0].length;
    const tag = match[2] as Block["tag"];
    if (match[1] === "") {
      if (open && (open as { tag: string }).tag === tag) continue;
      close(at, at, false);
      open = { tag, outer: at, inner: end };
    } else if (open && (open as { tag: string }).tag === tag) close(at, end, true);
    else if (!open && tag === "think" && blocks.length === 0)
      blocks.push({ tag, outer: [from, end], inner: [from, at], opened: false, closed: true });
  }
  close(to, to, false);
  return blocks;
}
