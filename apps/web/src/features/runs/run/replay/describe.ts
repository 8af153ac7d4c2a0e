import type { Flip, ReplayPlan } from "@sightline/core/replay";
import { formatRatio } from "@sightline/core/schedules";

export const RULES: Record<ReplayPlan["rules"], string> = {
  as_run: "As the run scored them",
  sightline: "Sightline: reads the answer block",
  "embodied-r": "Embodied-R: as the released code",
};

const RULES_SHORT: Record<ReplayPlan["rules"], string> = {
  as_run: "parts as the run scored them",
  sightline: "rules sightline",
  "embodied-r": "rules embodied-r",
};

/** A plan in a line. */
export function describePlan({ rules, weights, formula }: ReplayPlan): string {
  const said = weights === null ? "weights as run" : weights.map(formatRatio).join(" → ");
  return [RULES_SHORT[rules], said, ...(formula === null ? [] : [`reward = ${formula}`])].join(" · ");
}

export const FLIP_WORDS: Record<Flip, string> = {
  accuracy_lost: "Accuracy lost",
  accuracy_gained: "Accuracy gained",
  format_lost: "Format lost",
  format_gained: "Format gained",
  consistency_lost: "Consistency lost",
  consistency_gained: "Consistency gained",
  consistency_unknown: "Consistency no longer known",
  advantage_turned: "Advantage changed sign",
};

/** A mean or a part: three decimals, or a dash where there is none. */
export const formatPart = (value: number | null) => (value === null ? "–" : formatSize(value));

/** A formula may give numbers of any size. */
const formatSize = (value: number) =>
  Math.abs(value) < 1e6 ? value.toFixed(3) : value.toExponential(3).replace("e+", "e");

/** A change with its sign; nothing where a side is missing. */
export function formatChange(before: number | null, after: number | null): string {
  if (before === null || after === null) return "";
  const change = after - before;
  if (Math.abs(change) < 0.0005) return "0";
  return `${change < 0 ? "−" : "+"}${formatSize(Math.abs(change))}`;
}
