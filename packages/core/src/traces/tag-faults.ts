/** What can be wrong with the tags of a completion, as bits. */
export const TAG_FAULTS = { missing: 1, doubled: 2, out_of_order: 4 } as const;

const TAGS = ["<think>", "</think>", "<answer>", "</answer>"] as const;

/**
 * The faults of a completion's four tags, as a sum of `TAG_FAULTS`; 0 when each is there once and reasoning comes
 * first. It looks at the text alone: where a prompt opens the reasoning, its opening tag counts as missing.
 */
export function getTagFaults(text: string): number {
  let faults = 0;
  for (const tag of TAGS) {
    const first = text.indexOf(tag);
    if (first < 0) faults |= TAG_FAULTS.missing;
    else if (text.indexOf(tag, first + tag.length) >= 0) faults |= TAG_FAULTS.doubled;
  }
  const [think, answer] = [text.indexOf("<think>"), text.indexOf("<answer>")];
  return answer >= 0 && think > answer ? faults | TAG_FAULTS.out_of_order : faults;
}
