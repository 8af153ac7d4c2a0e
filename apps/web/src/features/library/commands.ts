import type { Clip } from "@sightline/core/clips";
import { formatNumberOf } from "@sightline/core/format";
import { client } from "../../app/clients.ts";
import { putClips } from "../../app/clips.ts";
import { hideUndoable, notifyDone, notifyFailure, notifyUndoable } from "../../app/notify.tsx";

/*
 * What a person does to clips. Each change shows at once, reaches the server, and can be undone.
 */

function nameClips(clips: readonly Clip[]): string {
  const [first] = clips;
  return clips.length === 1 && first !== undefined ? `“${first.name}”` : formatNumberOf(clips.length, "clip");
}

/** Ends when the server has answered all that was sent: an undo must not overtake what it is to take back. */
let sent: Promise<unknown> = Promise.resolve();

/** Shows the outcome at once; takes it back and says why when the server refuses. */
async function attempt(
  before: readonly Clip[],
  after: readonly Clip[],
  what: string,
  send: () => Promise<unknown>,
) {
  putClips(after);
  const sending = send();
  sent = Promise.allSettled([sent, sending]);
  try {
    await sending;
    return true;
  } catch (error) {
    putClips(before);
    notifyFailure(what, error);
    return false;
  }
}

/** Takes back the last change of the library. */
export async function undo(): Promise<void> {
  hideUndoable();
  await sent;
  try {
    notifyDone((await client.clips.undo.mutate()) ?? "There is nothing left to undo.");
  } catch (error) {
    notifyFailure("Could not undo", error);
  }
}

/** Moves clips to the trash; the notification offers them back. */
export async function trash(clips: readonly Clip[]): Promise<void> {
  if (clips.length === 0) return;
  const trashed_secs = Date.now() / 1000;
  const after = clips.map((clip) => ({ ...clip, trashed_secs }));
  const clip_ids = clips.map(({ clip_id }) => clip_id);
  const isDone = await attempt(clips, after, `Could not move ${nameClips(clips)} to the trash`, () =>
    client.clips.trash.mutate({ clip_ids }),
  );
  if (isDone) notifyUndoable(`Moved ${nameClips(clips)} to the trash`, () => void restore(after));
}

/** Brings clips back from the trash. */
export async function restore(clips: readonly Clip[]): Promise<void> {
  if (clips.length === 0) return;
  const after = clips.map((clip) => ({ ...clip, trashed_secs: null }));
  const clip_ids = clips.map(({ clip_id }) => clip_id);
  const isDone = await attempt(clips, after, `Could not restore ${nameClips(clips)}`, () =>
    client.clips.restore.mutate({ clip_ids }),
  );
  if (isDone) notifyDone(`Restored ${nameClips(clips)}`);
}

/** Gives a clip another name; an empty one changes nothing. */
export async function rename(clip: Clip, name: string): Promise<void> {
  const wanted = name.trim();
  if (wanted === "" || wanted === clip.name) return;
  await attempt([clip], [{ ...clip, name: wanted }], `Could not rename “${clip.name}”`, () =>
    client.clips.rename.mutate({ clip_id: clip.clip_id, name: wanted }),
  );
}

/** Changes the tags of clips, each from what it has. */
export async function setTags(
  clips: readonly Clip[],
  change: (tags: readonly string[]) => string[],
): Promise<void> {
  await Promise.all(
    clips.map((clip) => {
      const tags = change(clip.tags);
      if (tags.join("\n") === clip.tags.join("\n")) return true;
      return attempt([clip], [{ ...clip, tags }], `Could not tag “${clip.name}”`, () =>
        client.clips.setTags.mutate({ clip_id: clip.clip_id, tags }),
      );
    }),
  );
}
