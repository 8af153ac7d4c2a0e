import type { Miniature } from "./table.ts";
import {
  tabulateArms,
  tabulateClips,
  tabulateCourse,
  tabulateDifferences,
  tabulateJudges,
  tabulateSeeds,
} from "./table.ts";

const JUDGED = ["three-stages", "letter-stripped", "unconditional", "no-consistency"];

const LEARNED = ["three-stages", "sft-reasoning", "sft-answer"];

/** The tables of docs/guide/miniature.md, by the name in their marker. */
export function makeTables({ cells, clips, answers }: Miniature): Record<string, string> {
  const differences = (base: string, ...arms: string[]) => tabulateDifferences(cells, base, arms);
  return {
    stages: tabulateArms(cells, ["three-stages", "one-stage"]),
    "stages-difference": differences("one-stage", "three-stages"),
    "stages-course": tabulateCourse(cells, ["three-stages", "one-stage"]),
    judges: tabulateArms(cells, JUDGED),
    "judges-difference": differences("no-consistency", "three-stages", "letter-stripped", "unconditional"),
    "judges-seeds": tabulateSeeds(cells, "consistent, by rule", JUDGED),
    "judges-verdicts": tabulateJudges(cells, JUDGED),
    sft: tabulateArms(cells, LEARNED),
    "sft-seeds": tabulateSeeds(cells, "accuracy, longer", LEARNED),
    "sft-difference": differences("three-stages", "sft-reasoning", "sft-answer"),
    clips: tabulateClips(clips, answers),
  };
}

/**
 * Puts tables where a text has their markers, `<!-- table NAME -->` to `<!-- end -->`.
 *
 * @throws RangeError for a marker that names no table.
 */
export function fillTables(text: string, tables: Readonly<Record<string, string>>): string {
  return text.replace(/(<!-- table ([\w-]+) -->\n)[\s\S]*?(<!-- end -->)/g, (_, open, name, close) => {
    const table = tables[name];
    if (table === undefined) throw new RangeError(`there is no table ${name}`);
    return `${open}\n${table}\n\n${close}`;
  });
}
