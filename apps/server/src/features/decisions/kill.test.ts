import { randomUUID } from "node:crypto";
import { basename, dirname } from "node:path";
import type { Decision } from "@sightline/core/decisions";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getFixture } from "../../media/testing/fixtures.ts";
import { waitFor } from "../clips/testing/wait.ts";
import type { Client } from "../runs/testing/client.ts";
import { makeDataDir, type ServerProcess, spawnServer } from "../runs/testing/servers.ts";

const ROUNDS = 4;
const CLIP = getFixture("cfr-30.mp4");
const folder = makeDataDir("decisions-kill");
let running: ServerProcess | null = null;
const folders_before = process.env.SIGHTLINE_FOLDERS;

beforeAll(() => {
  process.env.SIGHTLINE_FOLDERS = dirname(CLIP);
});

afterAll(async () => {
  if (folders_before === undefined) delete process.env.SIGHTLINE_FOLDERS;
  else process.env.SIGHTLINE_FOLDERS = folders_before;
  await running?.kill();
  await folder.remove();
});

async function addClip(client: Client) {
  const [listed] = await client.clips.folders.query();
  if (listed === undefined) throw new Error("no folder is listed");
  const [added] = await client.clips.addFromFolder.mutate({
    folder_id: listed.folder_id,
    paths: [basename(CLIP)],
  });
  const clip_id = added && "added" in added ? added.added?.clip.clip_id : undefined;
  if (clip_id === undefined) throw new Error("the clip was not added");
  const selection = await waitFor(
    () => client.keyframes.get.query({ clip_id }),
    (found) => found !== null,
  );
  return { clip_id, settings_hash: selection?.settings_hash ?? "" };
}

test("a server killed in the middle of decisions has all that it confirmed, each once, in order", async () => {
  const server = await spawnServer(folder.dataDir);
  running = server;
  const { clip_id, settings_hash } = await addClip(server.client);
  const confirmed: Decision[] = [];
  let said = 0;

  for (let round = 0; round < ROUNDS; round += 1) {
    const at: ServerProcess = running;
    let unanswered: { decision_id: string; note: string } | null = null;
    const working = (async () => {
      for (;;) {
        said += 1;
        const note = `note ${said}`;
        const decision_id = randomUUID();
        unanswered = { decision_id, note };
        const decided = { kind: "note", frame: 0, note } as const;
        confirmed.push(
          await at.client.decisions.decide.mutate({ decision_id, clip_id, settings_hash, decided }),
        );
        unanswered = null;
      }
    })().catch((error: unknown) => error);
    await waitFor(
      async () => confirmed.length,
      (done) => done >= 12 * (round + 1),
    );
    await at.kill();
    expect(await working).toBeInstanceOf(Error);

    running = await spawnServer(folder.dataDir);
    const { decisions } = await running.client.decisions.list.query({ clip_id });
    const ids = decisions.map(({ decision_id }) => decision_id);
    expect(decisions.map(({ version }) => version)).toEqual(decisions.map((_, i) => i + 1));
    for (const one of confirmed) expect(decisions).toContainEqual(one);
    expect(decisions.length - confirmed.length).toBeLessThanOrEqual(1);

    // The answer that was lost is asked for again: the decision is there once, whether it had landed or not.
    const lost = unanswered as { decision_id: string; note: string } | null;
    if (lost === null) continue;
    const again = await running.client.decisions.decide.mutate({
      decision_id: lost.decision_id,
      clip_id,
      settings_hash,
      decided: { kind: "note", frame: 0, note: lost.note },
    });
    expect(again.version).toBe(ids.includes(lost.decision_id) ? ids.length : ids.length + 1);
    confirmed.push(again);
  }
  const { decisions } = await running.client.decisions.list.query({ clip_id });
  expect(decisions).toEqual(confirmed);
});
