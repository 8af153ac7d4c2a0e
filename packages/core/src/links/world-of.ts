import { readHeadingPrompt } from "../policies/check-prompt.ts";
import {
  askQuestion,
  generateWorld,
  HEADINGS,
  listSampleWorlds,
  SETTINGS,
  type Setting,
  TASKS,
  type Task,
  type World,
} from "../worlds/index.ts";
import type { LinkEvidence } from "./types.ts";

const GENERATED = /^([a-z]+)-(quarter|free)-(\d{1,2})-(\d{1,2})-(\d{1,15})$/;
/** More steps than any world of ours has; a name that asks for more was not given by us. */
const MOST_STEPS = 40;

/** Makes a world again from its id. @returns Null where the id is none of ours. */
export function remakeWorld(world_id: string): World | null {
  const match = GENERATED.exec(world_id);
  if (match === null) return listSampleWorlds().find((world) => world.world_id === world_id) ?? null;
  const [, setting, moves, min, max, seed] = match;
  const [min_steps, max_steps] = [Number(min), Number(max)];
  if (!SETTINGS.includes(setting as Setting) || min_steps > max_steps || max_steps > MOST_STEPS) return null;
  return generateWorld(Number(seed), setting as Setting, {
    min_steps,
    max_steps,
    moves: moves as "quarter" | "free",
  });
}

/** The world that a question of ours asks about, by the question's id; null for any other question. */
export function findWorldOfQuestion(question_id: string): World | null {
  const [first = "", second = ""] = question_id.split("/");
  return remakeWorld(first === "sample" ? second : first);
}

type Asked = LinkEvidence["question"];

/**
 * The question of a completion, whose line tells of its task and gold alone: from its world, from the prompt's own
 * words, or as the heading question that a tiny policy is asked.
 *
 * @returns Null where neither tells its options.
 */
export function readQuestion(
  line: { question_id: string; task: string; gold: string | null },
  prompt: string | null,
  world: World | null,
): Asked | null {
  const { task, gold } = line;
  const told = prompt === null ? null : readHeadingPrompt(prompt);
  if (told !== null)
    return {
      task,
      gold,
      kind: "choice",
      text: `It starts facing ${told.start}. Which way does it face at the end?`,
      options: [...HEADINGS],
    };
  const written = prompt === null ? null : readWritten(prompt);
  if (written !== null) return { task, gold, kind: "choice", ...written };
  const [, name = "", level = ""] = line.question_id.split("/");
  if (world === null || !TASKS.includes(name as Task) || !/^[123]$/.test(level)) return null;
  if (level === "1" && name !== "heading") return null;
  const asked = askQuestion(world, name as Task, Number(level) as 1 | 2 | 3);
  return asked && { task, gold, kind: "choice", text: asked.text, options: asked.options };
}

/** Question and options as `formatQuestion` writes them at a prompt's end. Line by line, so that no prompt takes long. */
function readWritten(prompt: string): { text: string; options: string[] } | null {
  const at = prompt.lastIndexOf("Question:");
  const lines = prompt.slice(at < 0 ? 0 : at + "Question:".length).split("\n");
  const head = lines.findIndex((line, n) => n > 0 && /^\s*(?:Choices|Options):\s*$/.test(line));
  if (head < 0) return null;
  const options = lines.slice(head + 1).flatMap((line) => {
    const [, text] = /^\s*[A-H][.)]\s*(.+)/.exec(line) ?? [];
    return text === undefined ? [] : [text.trim()];
  });
  return options.length < 2 ? null : { text: lines.slice(0, head).join("\n").trim(), options };
}
