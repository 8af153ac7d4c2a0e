import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { loadInstallToken } from "../../data-folder/token.ts";
import { createSession } from "../../http/session.ts";
import { getFixture } from "../../media/testing/fixtures.ts";
import { makeDataDir, serveHere } from "../runs/testing/servers.ts";
import { upload } from "./testing/tus.ts";
import { waitFor } from "./testing/wait.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test("a reading and a proxy that the server's end cut short are finished at the next start", async () => {
  const { dataDir, remove } = makeDataDir("unfinished");
  cleanups.push(remove);
  const first = await serveHere(dataDir);
  const { cookie_name, cookie_value } = createSession(loadInstallToken(dataDir));
  const headers = { cookie: `${cookie_name}=${cookie_value}`, origin: first.address };
  const bytes = readFileSync(getFixture("hevc.mp4"));
  const clip_id =
    (await upload({ url: first.address, headers }, "walk.mp4", bytes)).headers.get("x-clip-id") ?? "";
  expect(first.app.clips.library.get(clip_id).state).toBe("reading");
  await first.close();

  const second = await serveHere(dataDir);
  const read = await waitFor(
    () => second.app.clips.library.get(clip_id),
    ({ playback }) => playback === "proxy",
  );
  expect(read).toMatchObject({ state: "ready", frame_count: 25, problem: null });
  // As if the server had ended while the proxy was being made.
  const proxy = join(second.app.clips.library.getFolder(clip_id), "proxy.mp4");
  second.app.clips.library.update(clip_id, { proxy: "wanted" });
  await second.close();
  rmSync(proxy);

  const third = await serveHere(dataDir);
  cleanups.push(third.close);
  await waitFor(
    () => third.app.clips.library.get(clip_id),
    ({ playback }) => playback === "proxy",
  );
  expect(existsSync(proxy)).toBe(true);
  expect(third.app.clips.library.list({ trash: false }).length).toBe(1);
});
