import { type Asked, getThink, judgeText } from "@sightline/core/ask";
import type { Policy, PolicyPrompt } from "@sightline/core/policies";
import type { Judgement } from "@sightline/core/traces";
import type { PolicyClient } from "../policy/index.ts";
import type { Choice } from "./reasoners.ts";

/** What a policy wrote, and what its reference made of it. */
export type Written = {
  text: string;
  tokens: number;
  /** A sentence where it was cut; null when it came to its own end. */
  problem: string | null;
  judgement: Judgement;
};

/** Where the policy's work stands; `share` of the files that are fetched is null while it is unknown. */
export type Phase = { phase: "loading"; share: number | null } | { phase: "writing" | "judging" };

/**
 * Lets a policy of this browser reason, and its reference judge.
 *
 * @param onText  Called with each piece as it comes.
 * @throws An Error with a sentence, or an AbortError when the signal fired.
 */
export async function writeByPolicy(
  client: PolicyClient,
  { policy, reasoner }: Extract<Choice, { kind: "policy" }>,
  told: Extract<PolicyPrompt, { refused: null }>,
  asked: Asked,
  {
    signal,
    onPhase,
    onText,
  }: { signal: AbortSignal; onPhase?: (phase: Phase) => void; onText?: (piece: string) => void },
): Promise<Written> {
  const { source, max_tokens } = reasoner;
  onPhase?.({ phase: "loading", share: null });
  await client.load(
    source,
    ({ loaded, total }) => onPhase?.({ phase: "loading", share: total === null ? null : loaded / total }),
    signal,
  );
  onPhase?.({ phase: "writing" });
  const { text, tokens, finish } = await client.generate(told.prompt, (piece) => onText?.(piece), {
    max_tokens,
    signal,
  });
  onPhase?.({ phase: "judging" });
  const judgement = await judgeByReference(client, policy, text, asked, told.question);
  const problem = finish === "length" ? `Cut at the longest length, ${max_tokens} tokens.` : null;
  return { text, tokens, problem, judgement };
}

/** What the policy's frozen reference makes of a reasoning. */
async function judgeByReference(
  client: PolicyClient,
  policy: Policy,
  text: string,
  asked: Asked,
  question: string,
): Promise<Judgement> {
  const by = `reference of ${policy.name}`;
  const think = getThink(text, asked);
  if (think === null) return { letter: null, agrees: false, status: "no_think", by };
  const letters = asked.options.map((_, index) => "ABCDEFGHIJ".charAt(index));
  const letter = await client.judge(question, think, letters);
  const answered = judgeText(text, asked, "sightline").reading.letter;
  return {
    letter,
    agrees: letter !== null && letter === answered,
    status: letter === null ? "no_judge" : "ok",
    by,
  };
}
