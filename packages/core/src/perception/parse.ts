import { shortenRuns } from "../text/shorten-runs.ts";
import { findActions } from "./actions.ts";
import type { Triple, TripleProblem } from "./types.ts";

/** The three points of a perceiver's answer, before the action is looked up. */
type Points = { action: string | null; change: string | null; relevant: string | null };

type Marker = { number: number; start: number; end: number; style: string };

const FENCE = /^\s*```[a-z]*\s*\n?|\n?\s*```\s*$/gi;
const NUMBERED =
  /(^|\n|[.;。；!?]\s+|\s{2,}|[ \t](?=\*\*|__|#))([ \t]*)(#{1,6}[ \t]*)?(\*\*|__)?[ \t]*(?:\(?([1-3])|([一二三]))[ \t]*(?:(\*\*|__)[ \t]*)?([.)、．:：）])(?!\d)/g;

function findMarkers(text: string): Marker[] {
  return [...text.matchAll(NUMBERED)].map((match) => {
    const lead = match[1] ?? "";
    const number = match[5] ? Number(match[5]) : "一二三".indexOf(match[6] ?? "") + 1;
    const isLineStart = lead === "" || lead === "\n";
    return {
      number,
      start: match.index + lead.length,
      end: match.index + match[0].length,
      style: `${isLineStart ? `line${(match[2] ?? "").length}` : "inline"}/${match[3]?.trim() ?? ""}/${match[4] ?? ""}/${match[8]}`,
    };
  });
}

/** The markers of the outer list: those in the style of the first "1"; where that style breaks off, any style. */
function chooseMarkers(markers: readonly Marker[]): Marker[] {
  const first = markers.find((marker) => marker.number === 1) ?? markers[0];
  if (!first) return [];
  const chosen = [first];
  for (let wanted = first.number + 1; wanted <= 3; wanted += 1) {
    const last = chosen.at(-1) as Marker;
    const later = markers.filter((marker) => marker.start > last.start && marker.number === wanted);
    const next = later.find((marker) => marker.style === first.style) ?? later[0];
    if (next) chosen.push(next);
  }
  return chosen;
}

function readNumbered(text: string): Points | null {
  const markers = chooseMarkers(findMarkers(text));
  if (markers.length < 2) return null;
  const points: Record<number, string> = {};
  markers.forEach((marker, index) => {
    points[marker.number] = text.slice(marker.end, markers[index + 1]?.start ?? text.length);
  });
  return { action: points[1] ?? null, change: points[2] ?? null, relevant: points[3] ?? null };
}

const LABELS: Record<keyof Points, RegExp> = {
  action: /^[\s*_#>-]*(?:action|movement|动作|行动)[\s*_]*[:：]/i,
  change:
    /^[\s*_#>-]*(?:change|changes|new(?: information)?|observation|observe|Δ?information|变化|新信息|观察)[\s*_]*[:：]/i,
  relevant: /^[\s*_#>-]*(?:relevant|question[- ]related(?: content)?|q-related|相关|与问题相关)[\s*_]*[:：]/i,
};

function readLabelled(text: string): Points | null {
  const points: Points = { action: null, change: null, relevant: null };
  let current: keyof Points | null = null;
  for (const line of text.split("\n")) {
    const label = (Object.keys(LABELS) as (keyof Points)[]).find((key) => LABELS[key].test(line));
    if (label) {
      current = label;
      points[label] = line.replace(LABELS[label], "");
    } else if (current) points[current] += `\n${line}`;
  }
  return points.action !== null || points.change !== null ? points : null;
}

function readJson(text: string): Points | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (Array.isArray(value) && value.length >= 2) value = { 1: value[0], 2: value[1], 3: value[2] };
  if (typeof value !== "object" || value === null) return null;
  const entries = Object.entries(value).map(([key, item]) => [key.toLowerCase(), item] as const);
  const say = (item: unknown): string =>
    typeof item === "string"
      ? item
      : Array.isArray(item)
        ? item.map(say).join("; ")
        : item == null
          ? ""
          : JSON.stringify(item);
  const find = (pattern: RegExp) => {
    const entry = entries.find(([key]) => pattern.test(key));
    return entry ? say(entry[1]) : null;
  };
  const points = {
    action: find(/^1\.?$|action|动作/),
    change: find(/^2\.?$|change|new|observ|information|变化|观察/),
    relevant: find(/^3\.?$|relevant|related|question|相关/),
  };
  return points.action !== null || points.change !== null ? points : null;
}

const tidy = (text: string) =>
  text
    .replace(/^[\s*_#:：-]+|[\s*_#]+$/g, "")
    .replace(
      /^(?:action|movement|change|changes|relevant|question[- ]related content|动作|变化|相关)\s*[*_]*\s*[:：]\s*[*_]*\s*/i,
      "",
    )
    .trim();

const LEAK =
  /<answer>|\b(?:correct|right|best)\s+(?:answer|option|choice)\b|\banswer\s*(?:is|:)\s*\(?[A-H]\b|\boption\s*[([]?[A-H]\b|(?:答案|选项)\s*[是为:：]?\s*[A-H]/i;

/** True when a description names an option or an answer, which the prompt forbids. */
export function leaksAnswer(text: string): boolean {
  return LEAK.test(text);
}

/**
 * Reads a perceiver's answer for one key-frame.
 *
 * Takes the numbered list in the shapes that models give (`1.`, `**1.**`, `1)`, `### 1.`, on one line, with missing or
 * nested numbers, Chinese), labelled lines, and JSON. What can't be placed stays whole in `raw`, marked "unplaced";
 * nothing is ever filled in.
 *
 * @param isFirst  At the first key-frame the whole text is the view and there is no action.
 */
export function parseDescription(
  raw: string,
  isFirst: boolean,
): Pick<Triple, "action" | "change" | "relevant" | "raw" | "problems"> {
  const problems: TripleProblem[] = leaksAnswer(raw) ? ["leaked_answer"] : [];
  const text = shortenRuns(raw).replace(FENCE, "").trim();
  if (isFirst) {
    if (text === "") problems.push("unplaced");
    return { action: null, change: text, relevant: "", raw, problems };
  }
  const points = readJson(text) ?? readNumbered(text) ?? readLabelled(text) ?? readActionLine(text);
  if (!points) return { action: null, change: "", relevant: "", raw, problems: ["unplaced", ...problems] };
  const stated = tidy(points.action ?? "");
  const actions = findActions(stated);
  if (stated === "") problems.push("no_action");
  else if (actions.length === 0) problems.push("unknown_action");
  else if (actions.length > 1) problems.push("several_actions");
  const change = tidy(points.change ?? "");
  const relevant = tidy(points.relevant ?? "");
  if (change === "") problems.push("no_change");
  if (points.relevant === null) problems.push("no_relevant");
  return { action: actions[0] ?? null, change, relevant, raw, problems };
}

/** An answer without numbers whose first line is nothing but an action. */
function readActionLine(text: string): Points | null {
  const [first = "", ...rest] = text.split("\n");
  const line = tidy(first).replace(/[.。]$/, "");
  if (line.split(/\s+/).length > 4 || findActions(line).length !== 1) return null;
  return { action: line, change: rest.join("\n"), relevant: null };
}
