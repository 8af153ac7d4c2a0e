import { setTimeout } from "node:timers/promises";
import { isEndState } from "@sightline/core/runs";
import { listSampleWorlds } from "@sightline/core/worlds";
import { type Client, connect } from "../../../server/src/features/runs/testing/client.ts";
import { isSettled } from "./clip.ts";

/** Waits until a server has read the whole sample project: its clips with their key-frames, and its run. */
export async function waitForSamples(url: string, token: string, signal: AbortSignal): Promise<void> {
  const client = await connect(url, token);
  while (!(await areRead(client))) await setTimeout(200, undefined, { signal });
}

async function areRead(client: Client): Promise<boolean> {
  const [clips, runs] = await Promise.all([
    client.clips.list.query({ trash: false }),
    client.runs.list.query({ trash: false }),
  ]);
  if (clips.length < listSampleWorlds().length || !clips.every(isSettled)) return false;
  if (runs.length === 0 || !runs.every(({ state }) => isEndState(state))) return false;
  const saved = await Promise.all(clips.map(({ clip_id }) => client.keyframes.saved.query({ clip_id })));
  return saved.every((settings) => settings !== null);
}
