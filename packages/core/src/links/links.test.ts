import { describe, expect, it } from "vitest";
import { formatQuestion, formatVideoText } from "../perception/layout.ts";
import { describeFilm } from "../perception/oracle.ts";
import { readTrace } from "../traces/index.ts";
import {
  askQuestion,
  filmSteps,
  formatTinyChain,
  formatTinyPrompt,
  generateWorld,
  getPoseAt,
  getSightings,
  HEADINGS,
  listSampleWorlds,
  TASKS,
  type Task,
  toHeading,
  toHeadingRow,
  toSampleRow,
  type World,
} from "../worlds/index.ts";
import {
  checkLinks,
  findWorldOfQuestion,
  LINKS,
  type Link,
  type LinkEvidence,
  type LinkTriple,
  readQuestion,
} from "./index.ts";

const nameObjects = (world: World, text: string) =>
  world.objects.map(({ colour, noun }) => `${colour} ${noun}`).filter((name) => text.includes(name));

/** Prose that gets to the gold by way of everything that the question needs, a sentence each. */
function reason(world: World, task: Task, text: string, options: string[], gold: string): string[] {
  const right = options["ABCDEFGH".indexOf(gold)] ?? "";
  const names = nameObjects(world, text);
  switch (task) {
    case "heading":
      return [
        ...world.steps.map(
          ({ action }, k) =>
            `In Frame ${k + 1} I ${action} and face ${toHeading(world.poses[k + 1]?.heading_deg ?? 0)}.`,
        ),
        `At the end I face ${right}.`,
      ];
    case "counterfactual":
      return [`Frames 1 to ${world.steps.length} count.`, `I would face ${right}.`];
    case "progress_evaluation":
      return [`What is done is ${right}.`];
    case "relative_distance":
      return [
        ...names.map((name) => `I saw the ${name}.`),
        ...options.map((one) => `There is ${one}.`),
      ].concat(`Of all, ${right} is nearest to the ${names[0]}.`);
    case "appearance_order":
      return right.split(", ").map((name) => `Then I see ${name}.`);
    default:
      return [...names.map((name) => `I saw the ${name}.`), `So the ${names.at(-1)}: ${right}.`];
  }
}

type Case = { evidence: LinkEvidence; world: World; sentences: string[]; task: Task; times: number[] };

const write = (sentences: string[], letter: string) =>
  `<think>${sentences.join(" ")}</think><answer>${letter}</answer>`;

/** The same evidence with another output, read as the trainer reads it. */
function answer(evidence: LinkEvidence, text: string): LinkEvidence {
  const { options } = evidence.question;
  return { ...evidence, text, letter: readTrace(text, { count: options.length, texts: options }).letter };
}

function tellTriples(world: World, times: number[]): LinkTriple[] {
  return describeFilm(world, times).map((fields, index) => ({ index, ...fields, geometry: null }));
}

const tell = (triples: readonly LinkTriple[], { text, options }: LinkEvidence["question"]) =>
  formatVideoText(
    triples.map((triple) => ({ ...triple, raw: "", problems: [] })),
    formatQuestion(text, options),
  );

/** A chain without a fault, from the key-frame to the letter; null where the world asks no such question. */
function makeCase(seed: number, task: Task): Case | null {
  const world = generateWorld(seed, seed % 2 ? "room" : "street", {
    moves: "quarter",
    min_steps: 2,
    max_steps: 6,
  });
  const asked = askQuestion(world, task, 2);
  // Nothing in a triple tells a half turn from a quarter.
  if (asked === null || world.steps.some(({ amount }) => amount === 180)) return null;
  const times = [0, ...filmSteps(world).map(({ to_secs }) => to_secs + 0.2)];
  const triples = tellTriples(world, times);
  const question = { ...asked, kind: "choice" as const };
  const sentences = reason(world, task, asked.text, asked.options, asked.gold);
  const blank: LinkEvidence = {
    text: "",
    prompt: tell(triples, question),
    is_cut: false,
    letter: null,
    question,
    judges: [{ variant: "unconditional", letter: asked.gold, status: "ok" }],
    world,
    is_from_truth: false,
    clip: { state: "ready", problem: null },
    key_frames: times.map((time_secs, k) => ({ frame: 10 * k, time_secs })),
    frame_times: Array.from(
      { length: 10 * times.length },
      (_, k) => (times.at(-1) ?? 0) * (k / 10 / times.length),
    ),
    triples,
    moment: null,
  };
  return { evidence: answer(blank, write(sentences, asked.gold)), world, sentences, task, times };
}

const cases = TASKS.flatMap((task) =>
  Array.from({ length: 60 }, (_, seed) => makeCase(seed, task)).filter((one) => one !== null),
);
/** Those in which nothing is broken to begin with: some worlds never show what they ask about. */
const whole = cases.filter(({ evidence }) => checkLinks(evidence).broken === null);

const broken = (evidence: LinkEvidence) => checkLinks(evidence).broken;
const replaceTriple = (
  { evidence }: Case,
  index: number,
  change: (triple: LinkTriple) => Partial<LinkTriple>,
): LinkEvidence => {
  const triples = (evidence.triples ?? []).map((one) =>
    one.index === index ? { ...one, ...change(one) } : one,
  );
  return { ...evidence, triples, prompt: tell(triples, evidence.question) };
};
const isTurn = ({ world }: Case, step: number) => world.steps[step]?.action.startsWith("rotate") === true;
/** Runs a break over all cases that it can be done to, and says what each was found to be. */
function breakAll(make: (one: Case) => LinkEvidence | null): { found: (Link | null)[]; tasks: Set<Task> } {
  const tried = whole.flatMap((one) => {
    const evidence = make(one);
    return evidence ? [{ task: one.task, found: broken(evidence) }] : [];
  });
  return { found: tried.map(({ found }) => found), tasks: new Set(tried.map(({ task }) => task)) };
}

const isVisible = (world: World, at_secs: number, name: string) =>
  getSightings(world, getPoseAt(world, at_secs)).some(({ object_id, visible }) => {
    const object = world.objects.find((one) => one.object_id === object_id);
    return visible && `${object?.colour} ${object?.noun}` === name;
  });

describe("which link broke, on worlds of which one link was broken on purpose", () => {
  it("finds nothing broken in a chain without a fault, of every family", () => {
    const tasks = new Set(whole.map(({ task }) => task));
    expect([...tasks].sort()).toEqual([...TASKS].sort());
    for (const { evidence } of whole) {
      const report = checkLinks(evidence);
      expect(report.checks.map(({ link }) => link)).toEqual([...LINKS]);
      expect(report.sentence).toMatch(/^The answer is right, and no link is found broken/);
    }
  });

  it("clip: it was not decoded whole", () => {
    const problem = "The file ends in the middle of a frame.";
    const { found } = breakAll(({ evidence }) => ({ ...evidence, clip: { state: "partial", problem } }));
    expect(new Set(found)).toEqual(new Set(["clip"]));
  });

  it("key-frames: the one that shows the last turn, or the only sight of a thing, was dropped", () => {
    const { found, tasks } = breakAll((one) => {
      const { evidence, world, times, task } = one;
      const text = `${evidence.question.text} ${evidence.question.options.join(" ")}`;
      const names = task === "heading" || task === "counterfactual" ? [] : nameObjects(world, text);
      const last = times.length - 1;
      const sights = names.map((name) => times.flatMap((at, k) => (isVisible(world, at, name) ? [k] : [])));
      const dropped =
        isTurn(one, last - 1) && names.length === 0 ? last : sights.find((list) => list.length === 1)?.[0];
      if (dropped === undefined) return null;
      const kept = times.filter((_, k) => k !== dropped);
      const triples = tellTriples(world, kept);
      return {
        ...evidence,
        key_frames: kept.map((time_secs, k) => ({ frame: 10 * k, time_secs })),
        triples,
        prompt: tell(triples, evidence.question),
      };
    });
    expect(found.length).toBeGreaterThan(30);
    expect(tasks.size).toBeGreaterThan(4);
    expect(new Set(found)).toEqual(new Set(["key_frames"]));
  });

  it("triples: a turn was told the other way round", () => {
    const { found } = breakAll((one) => {
      const step = one.world.steps.findIndex((_, k) => isTurn(one, k));
      return step < 0
        ? null
        : replaceTriple(one, step + 1, ({ action }) => ({
            action: action === "rotate left" ? "rotate right" : "rotate left",
          }));
    });
    expect(found.length).toBeGreaterThan(50);
    expect(new Set(found)).toEqual(new Set(["triples"]));
  });

  it("triples: a thing was seen that is not there, or where it is not", () => {
    const { found } = breakAll((one) =>
      replaceTriple(one, 1, ({ change }) => ({
        change: `${change} New in view: a white kiosk ahead, near.`,
      })),
    );
    const here = whole.filter(({ world }) => !nameObjects(world, "white kiosk").length).length;
    expect(found.filter((link) => link === "triples").length).toBeGreaterThanOrEqual(here);
  });

  it("fact: a turn was not told, or the thing that is asked about", () => {
    const { found, tasks } = breakAll((one) => {
      if (one.task === "heading") {
        const step = one.world.steps.findIndex((_, k) => isTurn(one, k));
        return step < 0 ? null : replaceTriple(one, step + 1, () => ({ action: "unclear" }));
      }
      const names = nameObjects(one.world, one.evidence.question.text);
      const name = names[0];
      if (name === undefined || one.task === "progress_evaluation") return null;
      const triples = (one.evidence.triples ?? []).map((triple) => ({
        ...triple,
        change: triple.change.replaceAll(name, "thing"),
      }));
      return { ...one.evidence, triples, prompt: tell(triples, one.evidence.question) };
    });
    expect(tasks.size).toBeGreaterThan(3);
    expect(new Set(found)).toEqual(new Set(["fact"]));
  });

  it("reasoning: the sentence that states it was taken out", () => {
    const { found, tasks } = breakAll((one) => {
      const { evidence, sentences, task, world } = one;
      const { question } = evidence;
      if (task === "progress_evaluation") return null;
      const step = world.steps.findIndex((_, k) => isTurn(one, k));
      if (task === "heading" && step < 0) return null;
      const name =
        task === "heading"
          ? `Frame ${step + 1} `
          : task === "counterfactual"
            ? "would face"
            : (nameObjects(world, `${question.text} ${question.options.join(" ")}`)[0] ?? "");
      const left = sentences.filter((sentence) => !sentence.includes(name));
      return answer(evidence, write(left, question.gold ?? ""));
    });
    expect(tasks.size).toBeGreaterThan(6);
    expect(new Set(found)).toEqual(new Set(["reasoning"]));
  });

  it("conclusion: the answer contradicts the reasoning", () => {
    const { found } = breakAll(({ evidence, sentences }) => {
      const { options, gold } = evidence.question;
      const other = "ABCDEFGH".charAt(("ABCDEFGH".indexOf(gold ?? "") + 1) % options.length);
      return answer(evidence, write(sentences, other));
    });
    expect(new Set(found)).toEqual(new Set(["conclusion"]));
  });

  it.each([
    ["the answer was cut off", (text: string) => text.replace(/<answer>.*/, "<answer>")],
    ["it has no answer block", (text: string) => text.replace(/<answer>.*/, "I am done")],
    [
      "two answers differ",
      (text: string) =>
        text.replace(/<answer>(.)/, (_, one) => `<answer>${one === "A" ? "B" : "A"}</answer><answer>${one}`),
    ],
  ])("extraction: %s", (_, mangle) => {
    const { found } = breakAll(({ evidence }) => answer(evidence, mangle(evidence.text)));
    expect(new Set(found)).toEqual(new Set(["extraction"]));
  });

  it("reasoning: what is said in another language can't be told, unless a judge read it", () => {
    for (const text of [
      "在第1帧我向左转,所以我面向南方。",
      "In Bild 1 biege ich links ab, also schaue ich nach Süden.",
      "في الإطار ١ استدرت يسارا",
    ])
      for (const one of whole) {
        const { gold } = one.evidence.question;
        const said = answer(one.evidence, write([text], gold ?? "A"));
        const find = (evidence: LinkEvidence) =>
          checkLinks(evidence).checks.find(({ link }) => link === "reasoning")?.state;
        expect(find({ ...said, judges: [] })).toBe("unknown");
        expect(find(said)).toBe("holds");
      }
  });

  it("says that it can't tell where there is nothing to tell by", () => {
    for (const { evidence } of whole) {
      const {
        checks,
        broken: at,
        untold,
      } = checkLinks({
        ...evidence,
        world: null,
        clip: null,
        key_frames: null,
        frame_times: null,
        triples: null,
        prompt: null,
        judges: [],
      });
      const states = new Map(checks.map(({ link, state }) => [link, state]));
      for (const link of ["clip", "key_frames", "triples", "fact"] as const)
        expect(states.get(link)).toBe("unknown");
      if (at !== null) expect(untold).toEqual(["clip", "key_frames", "triples", "fact"]);
    }
  });
});

describe("the tiny policy's questions", () => {
  const world = generateWorld(1_000_809, "room", { moves: "quarter", min_steps: 1, max_steps: 5 });
  const row = toHeadingRow(world);
  const evidenceOf = (text: string, prompt = row.prompt): LinkEvidence => {
    const question = readQuestion(row, prompt, world);
    if (question === null) throw new Error("no question");
    return answer(
      {
        text,
        prompt,
        is_cut: false,
        letter: null,
        question,
        judges: [],
        world,
        is_from_truth: true,
        clip: null,
        key_frames: null,
        frame_times: null,
        triples: null,
        moment: null,
      },
      text,
    );
  };
  const wrong = "ABCD".replace(row.gold, "").charAt(0);

  it("are of the world that their id names", () => {
    expect(findWorldOfQuestion(row.question_id)).toEqual(world);
    for (const sample of listSampleWorlds())
      expect(findWorldOfQuestion(`sample/${sample.world_id}`)).toEqual(sample);
    for (const id of [
      "room-quarter-9-1-3",
      "room-quarter-1-99-3",
      "attic-quarter-1-5-3",
      "q1",
      "sample/",
      "",
    ])
      expect(findWorldOfQuestion(id)).toBeNull();
  });

  it("break where the first word is wrong, and point to it and to its move", () => {
    const chain = row.chain ?? "";
    const [, first = ""] = /(north|east|south|west)/.exec(chain) ?? [];
    const other = HEADINGS.find((heading) => heading !== first) ?? "";
    const text = `<think> ${chain.replace(first, other)} </think> <answer> ${wrong} </answer>`;
    const report = checkLinks(evidenceOf(text));
    expect(report.broken).toBe("reasoning");
    const look = report.checks[4]?.looks.find(({ kind }) => kind === "text");
    expect(look?.kind === "text" && text.slice(look.from, look.to)).toContain(other);
    expect(look?.point).toBe(1);
    expect(report.untold).toEqual(["clip", "key_frames"]);
    expect(report.sentence).toMatch(/what the policy read is true/);
  });

  it("break at the triples where the prompt tells another way", () => {
    const start = toHeading(world.poses[0]?.heading_deg ?? 0);
    const moves = ["left", "left", "left"] as const;
    const text = `<think> ${formatTinyChain(start, moves)} </think> <answer> ${wrong} </answer>`;
    expect(broken(evidenceOf(text, formatTinyPrompt(start, moves)))).toBe("triples");
  });

  it("are tied to the frames of a clip: each move to the key-frame at which it was made", () => {
    const sample = listSampleWorlds().find(
      ({ world_id }) => world_id === "street-round-the-corner-3",
    ) as World;
    const asked = toSampleRow(sample, "c");
    const films = filmSteps(sample);
    const key_frames = films.map(({ to_secs }, k) => ({ frame: k, time_secs: to_secs + 0.1 }));
    const text = "<think> 1 forward north 2 left east </think> <answer> A </answer>";
    const question = readQuestion(asked, asked.prompt, sample);
    const report = checkLinks({
      ...evidenceOf(text),
      prompt: asked.prompt,
      world: sample,
      question: question as LinkEvidence["question"],
      clip: { state: "ready", problem: null },
      key_frames,
      frame_times: key_frames.map(({ time_secs }) => time_secs),
    });
    expect(report.broken).toBe("reasoning");
    expect(report.checks[4]?.looks).toContainEqual(
      expect.objectContaining({ kind: "frame", frame: 1, point: 2 }),
    );
  });
});

describe("where there is no world", () => {
  const question = {
    task: "route",
    text: "Where?",
    options: ["left", "right"],
    gold: "A",
    kind: "choice" as const,
  };
  const triple = { index: 1, action: "rotate left" as const, change: "A bench.", relevant: "" };
  const evidence: LinkEvidence = {
    text: "<think>Frame 1 turns left.</think><answer>B</answer>",
    prompt: "",
    is_cut: false,
    letter: "B",
    question,
    judges: [],
    world: null,
    is_from_truth: false,
    clip: { state: "ready", problem: null },
    key_frames: [
      { frame: 0, time_secs: 0 },
      { frame: 30, time_secs: 1 },
    ],
    frame_times: [0, 1],
    triples: [{ ...triple, geometry: { agrees: true, reason: "Rotate left by 30°." } }],
    moment: [0.5, 1.5],
  };
  const stateOf = (change: Partial<LinkEvidence>, link: Link) =>
    checkLinks({ ...evidence, ...change }).checks.find((one) => one.link === link)?.state;

  it("geometry and people speak for the actions, and a person goes first", () => {
    expect(stateOf({}, "triples")).toBe("holds");
    const geometry = { agrees: false, reason: "Move forward." };
    expect(stateOf({ triples: [{ ...triple, geometry }] }, "triples")).toBe("fails");
    expect(stateOf({ triples: [{ ...triple, geometry, person: "rotate left" }] }, "triples")).toBe("holds");
    expect(stateOf({ triples: [{ ...triple, geometry: null, person: null }] }, "triples")).toBe("fails");
    expect(stateOf({ triples: [{ ...triple, geometry: null }] }, "triples")).toBe("unknown");
  });

  it("a question that asks about a stretch is held to it", () => {
    expect(stateOf({}, "key_frames")).toBe("holds");
    expect(stateOf({ moment: [2, 3] }, "key_frames")).toBe("fails");
    expect(stateOf({ moment: null }, "key_frames")).toBe("unknown");
  });

  it("a judge tells reasoning from conclusion, and a failed one tells nothing", () => {
    const judged = (letter: string | null, status = "ok") => ({
      judges: [{ variant: "unconditional", letter, status }],
    });
    expect([stateOf(judged("A"), "reasoning"), stateOf(judged("A"), "conclusion")]).toEqual([
      "holds",
      "fails",
    ]);
    expect([stateOf(judged("B"), "reasoning"), stateOf(judged("B"), "conclusion")]).toEqual([
      "fails",
      "holds",
    ]);
    expect([
      stateOf(judged(null, "timeout"), "reasoning"),
      stateOf(judged(null, "timeout"), "conclusion"),
    ]).toEqual(["unknown", "unknown"]);
  });
});

describe("the question in a prompt", () => {
  const of = (prompt: string) => readQuestion({ question_id: "x", task: "route", gold: "B" }, prompt, null);

  it("is read behind its last heading, with its options", () => {
    expect(
      of("Question: old?\nQuestion: Where\nto? \n\n  Choices: \nA. Left \n\n B) Right\r\nnothing"),
    ).toMatchObject({
      text: "Where\nto?",
      options: ["Left", "Right"],
    });
    for (const prompt of ["Question: Where to?\nA. Left\nB. Right", "Question: Where to?\nOptions:\nA. Left"])
      expect(of(prompt)).toBeNull();
  });

  // The walk over a run asks this of every wrong answer, and the whole server waits for it.
  it.each([
    ["blank lines", `Question:${"\n".repeat(400_000)}`],
    ["blank lines for options", `Question: x\nOptions:\n${"\n ".repeat(200_000)}`],
  ])("is looked for in a moment in a prompt of %s", (_, prompt) => {
    const before = process.cpuUsage();
    expect(of(prompt)).toBeNull();
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
  });
});
