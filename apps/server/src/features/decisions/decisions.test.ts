import { randomUUID } from "node:crypto";
import type { Decided, Decision } from "@sightline/core/decisions";
import { type KeyFrameSelection, SIGHTLINE_SETTINGS } from "@sightline/core/keyframes";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadInstallToken } from "../../data-folder/token.ts";
import { getFixture } from "../../media/testing/fixtures.ts";
import { startTestServer, type TestServer } from "../../testing.ts";
import { waitFor } from "../clips/testing/wait.ts";
import { type Client, connect } from "../runs/testing/client.ts";
import type { ClipDecisions } from "./service.ts";

let server: TestServer;
let client: Client;
let clip_id: string;
let first: KeyFrameSelection;

async function getSelection(settings: KeyFrameSelection["settings"]): Promise<KeyFrameSelection> {
  const found = await waitFor(
    () => client.keyframes.get.query({ clip_id, settings }),
    (selection) => selection !== null,
  );
  if (found === null) throw new Error("waited for a selection");
  return found;
}

beforeAll(async () => {
  server = await startTestServer();
  client = await connect(server.url, loadInstallToken(server.app.dataDir));
  const { library } = server.app.clips;
  const { clip } = await library.add({ path: getFixture("cfr-30.mp4"), name: "walk.mp4", move: false });
  clip_id = clip.clip_id;
  first = await getSelection(SIGHTLINE_SETTINGS);
});

afterAll(() => server.close());

let settings_of_tests = 0;
/** A selection of its own for each test, so that their histories don't mix. */
async function select(): Promise<KeyFrameSelection> {
  settings_of_tests += 1;
  const settings = { ...SIGHTLINE_SETTINGS, max_frames: 40 + settings_of_tests };
  await client.keyframes.extract.mutate({ clip_id, settings });
  return getSelection(settings);
}

const listKept = ({ decisions }: KeyFrameSelection) =>
  decisions.flatMap(({ kept, frame }) => (kept ? [frame] : []));

function decide(
  { settings_hash }: Pick<KeyFrameSelection, "settings_hash">,
  decided: Decided,
  decision_id: string = randomUUID(),
): Promise<Decision> {
  const input = { decision_id, clip_id, settings_hash, decided };
  return client.decisions.decide.mutate(input as Parameters<Client["decisions"]["decide"]["mutate"]>[0]);
}

const listVersions = ({ settings_hash }: KeyFrameSelection) =>
  server.app.decisions.list(clip_id, settings_hash);

describe("a decision", () => {
  test("is signed, dated, numbered, and of the clip's content and the selection's settings", async () => {
    const selection = await select();
    const [, second] = listKept(selection);
    const before = Date.now() / 1000;
    const made = await decide(selection, { kind: "drop", frame: second ?? -1 });
    expect(made).toMatchObject({
      kind: "drop",
      frame: second,
      clip_id,
      settings_hash: selection.settings_hash,
      version: 1,
      author: "owner",
    });
    expect(made.made_secs).toBeGreaterThanOrEqual(before);
    const version = server.app.decisions.getVersion(clip_id, selection.settings_hash);
    expect(version.key_frames.map(({ frame }) => frame)).toEqual(
      listKept(selection).filter((frame) => frame !== second),
    );
    expect(server.app.decisions.getVersion(clip_id, selection.settings_hash, 0).left_out).toEqual([]);
    expect(() => server.app.decisions.getVersion(clip_id, selection.settings_hash, 2)).toThrow(
      "no version 2",
    );
  });

  test("that is sent again under its id, as after a lost answer or a double click, is one", async () => {
    const selection = await select();
    const [, second = -1, third = -1] = listKept(selection);
    const decision_id = randomUUID();
    const sent = [1, 2, 3].map(() => decide(selection, { kind: "drop", frame: second }, decision_id));
    const [made, ...again] = await Promise.all(sent);
    for (const one of again) expect(one).toEqual(made);
    expect(listVersions(selection)).toHaveLength(1);
    await decide(selection, { kind: "undo", undoes: decision_id });
    expect(await decide(selection, { kind: "drop", frame: second }, decision_id)).toEqual(made);
    expect(listVersions(selection)).toHaveLength(2);
    await expect(decide(selection, { kind: "drop", frame: third }, decision_id)).rejects.toThrow(
      "Another decision was sent under this id",
    );
  });

  test("that two tabs make both is one; of two that go together both land, in the order of their coming", async () => {
    const selection = await select();
    const [, second = -1, third = -1] = listKept(selection);
    const other = await connect(server.url, loadInstallToken(server.app.dataDir));
    const { settings_hash } = selection;
    const say = (by: Client, decided: { kind: "drop" | "keep" | "add"; frame: number }) =>
      by.decisions.decide.mutate({ decision_id: randomUUID(), clip_id, settings_hash, decided });
    const [mine, theirs] = await Promise.all([
      say(client, { kind: "drop", frame: second }),
      say(other, { kind: "drop", frame: second }),
    ]);
    expect(theirs).toEqual(mine);
    await Promise.all([
      say(client, { kind: "keep", frame: third }),
      say(other, { kind: "add", frame: second + 1 }),
    ]);
    expect(listVersions(selection).map(({ version }) => version)).toEqual([1, 2, 3]);
    // What the other tab's word has made impossible is refused with the reason.
    await expect(say(other, { kind: "keep", frame: second })).rejects.toThrow(
      `Frame ${second} is not a key-frame of this version.`,
    );
  });

  test("reaches every other tab by the live stream", async () => {
    const selection = await select();
    const [, second = -1] = listKept(selection);
    const other = await connect(server.url, loadInstallToken(server.app.dataDir));
    const heard: ClipDecisions[] = [];
    const stream = other.decisions.follow.subscribe(
      { clip_id },
      { onData: (said) => void heard.push(said as ClipDecisions) },
    );
    try {
      await waitFor(
        async () => heard.length,
        (times) => times > 0,
      );
      const made = await decide(selection, { kind: "drop", frame: second });
      await waitFor(
        async () => heard.at(-1)?.decisions.some(({ decision_id }) => decision_id === made.decision_id),
        (is_heard) => is_heard === true,
      );
      expect(
        heard.at(-1)?.selections.find(({ settings_hash }) => settings_hash === selection.settings_hash)
          ?.settings,
      ).toEqual(selection.settings);
    } finally {
      stream.unsubscribe();
    }
  });

  test("of a selection leaves every other selection of the clip alone", async () => {
    const [one, other] = [await select(), await select()];
    const [, second = -1] = listKept(one);
    await decide(one, { kind: "drop", frame: second });
    expect(listVersions(other)).toEqual([]);
    expect(await client.keyframes.get.query({ clip_id, settings: one.settings })).toEqual(one);
  });

  test("outlives its selection's being made anew", async () => {
    const selection = await select();
    const [, second = -1] = listKept(selection);
    await decide(selection, { kind: "drop", frame: second });
    server.app.db.$client
      .prepare("DELETE FROM keyframe_selections WHERE settings_hash = ?")
      .run(selection.settings_hash);
    expect(listVersions(selection)).toHaveLength(1);
    const { selections } = await client.decisions.list.query({ clip_id });
    expect(selections).toContainEqual({ settings_hash: selection.settings_hash, settings: null });
    await expect(decide(selection, { kind: "add", frame: 1 })).rejects.toThrow("no stored key-frames");
    await client.keyframes.extract.mutate({ clip_id, settings: selection.settings });
    await getSelection(selection.settings);
    expect(
      server.app.decisions.getVersion(clip_id, selection.settings_hash).key_frames.map(({ frame }) => frame),
    ).not.toContain(second);
  });

  test("can't be changed or deleted, not even in the database", async () => {
    const selection = await select();
    await decide(selection, { kind: "drop", frame: listKept(selection)[1] ?? -1 });
    const { $client } = server.app.db;
    expect(() => $client.exec("UPDATE decisions SET author = 'nobody'")).toThrow("append-only");
    expect(() => $client.exec("DELETE FROM decisions")).toThrow("append-only");
  });
});

describe("is refused with a reason", () => {
  test.each<[string, Decided, RegExp]>([
    [
      "a frame beyond the end",
      { kind: "add", frame: 100_000 },
      /There is no frame 100000: this clip has the frames 0 to/,
    ],
    ["a key-frame that is none", { kind: "drop", frame: 1 }, /Frame 1 is not a key-frame of this version/],
    ["a key-frame twice", { kind: "add", frame: 0 }, /Frame 0 is a key-frame already/],
    ["an action at the first key-frame", action(0, 0), /no way leads to it/],
    ["a way that begins elsewhere", action(-1, 1), /now begins at frame/],
    ["a version that is not there", { kind: "return", to_version: 9 }, /no version 9/],
    ["an undo of nothing", { kind: "undo", undoes: randomUUID() }, /not in this selection's history/],
    ["an undo without an id", { kind: "undo", undoes: "x" }, /UUID/],
    ["a broken frame", { kind: "add", frame: 1.5 }, /frame/],
    ["a negative frame", { kind: "add", frame: -1 }, /frame/],
    ["an action of no such name", { ...action(-1, 0), right_action: "fly" } as never, /Invalid option/],
    ["a note without end", { kind: "note", frame: 0, note: "x".repeat(2001) }, /too long: 2000/],
    ["a kind of no such name", { kind: "explode", frame: 0 } as never, /kind|discriminator|Invalid/],
  ])("%s", async (_, decided, reason) => {
    const second = listKept(first)[1] ?? -1;
    const meant =
      "frame" in decided && decided.kind === "action_wrong" && decided.frame === -1
        ? { ...decided, frame: second }
        : decided;
    await expect(decide(first, meant)).rejects.toThrow(reason);
    expect(listVersions(first)).toEqual([]);
  });

  test("an unknown clip, an unknown selection, an id that is none", async () => {
    const decided = { kind: "add", frame: 1 } as const;
    const { settings_hash } = first;
    const say = (input: object) =>
      client.decisions.decide.mutate({
        decision_id: randomUUID(),
        clip_id,
        settings_hash,
        decided,
        ...input,
      });
    await expect(say({ clip_id: "0".repeat(64) })).rejects.toThrow("not in the library");
    await expect(say({ clip_id: "walk.mp4" })).rejects.toThrow("content hash");
    await expect(say({ settings_hash: "0123456789abcdef" })).rejects.toThrow("no stored key-frames");
    await expect(say({ decision_id: "1" })).rejects.toThrow("UUID");
  });
});

function action(frame: number, from_frame: number): Extract<Decided, { kind: "action_wrong" }> {
  const said = { said_by: "geometry", said_action: "move forward", right_action: "rotate left" } as const;
  return { kind: "action_wrong", frame, from_frame, ...said };
}

test("decisions are signed with the name that was given last; those before keep theirs", async () => {
  const selection = await select();
  const [, second = -1, third = -1] = listKept(selection);
  expect(await client.decisions.signature.query()).toEqual({ name: "owner", is_given: false });
  await decide(selection, { kind: "drop", frame: second });
  await client.decisions.setSignature.mutate({ name: "  Ana " });
  expect(await client.decisions.signature.query()).toEqual({ name: "Ana", is_given: true });
  await decide(selection, { kind: "keep", frame: third });
  expect(listVersions(selection).map(({ author }) => author)).toEqual(["owner", "Ana"]);
  await client.decisions.setSignature.mutate({ name: "\u202eB\u0000o\n" });
  expect(await client.decisions.signature.query()).toEqual({ name: "Bo", is_given: true });
  const noted = await decide(selection, { kind: "note", frame: third, note: " \u202eturned\u0000 <b>" });
  expect(noted).toMatchObject({ author: "Bo", note: "turned <b>" });
  for (const name of ["  ", "\u200b", "\u202e"])
    await expect(client.decisions.setSignature.mutate({ name })).rejects.toThrow("at least one letter");
  await expect(client.decisions.setSignature.mutate({ name: "x".repeat(61) })).rejects.toThrow("too long");
});

test("triples are made of the corrected key-frames and say of which version", async () => {
  const selection = await select();
  const kept = listKept(selection);
  await decide(selection, { kind: "drop", frame: kept[1] ?? -1 });
  await decide(selection, { kind: "add", frame: 1 });
  await decide(selection, { kind: "add", frame: 2 });
  const plan = {
    clip_id,
    settings_hash: selection.settings_hash,
    perceiver: { kind: "embedded" as const },
    question_id: null,
    question: "",
  };
  expect(await client.triples.estimate.query(plan)).toMatchObject({ key_frames: kept.length + 1 });
  const set = await client.triples.start.mutate(plan);
  expect(set).toMatchObject({ selection_version: 3, key_frames: kept.length + 1 });
  await client.triples.cancel.mutate({ triple_set_id: set.triple_set_id });
  const { settings_hash } = selection;
  const frames = [0, 1, ...kept.slice(2)];
  const motions = await client.decisions.motions.query({ clip_id, settings_hash, frames });
  expect(motions).toHaveLength(frames.length);
  expect(motions?.[0]).toBeNull();
  expect(motions?.[1]?.reason).toContain("was not sampled");
});
