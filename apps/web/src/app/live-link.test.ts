import type { AppRouter } from "@sightline/server/router";
import { createTRPCClient, type TRPCClientError, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { liveLink } from "./live-link.ts";
import { useSession } from "./session.ts";

type Wanted = { id: number; path: string; input: unknown };

/** A connection as the server sees it. */
type Connection = {
  path: string;
  streams: Wanted[];
  isOpen: boolean;
  connect: () => void;
  say: (event: unknown) => void;
};

let connections: Connection[];
let page: EventTarget & { visibilityState: "visible" | "hidden" };
let tab: EventTarget;

const server: TRPCLink<AppRouter> =
  () =>
  ({ op }) =>
    observable((observer) => {
      const connection: Connection = {
        path: op.path,
        streams: (op.input as { streams: Wanted[] }).streams,
        isOpen: true,
        connect: () => observer.next({ result: { type: "state", state: "pending", error: null } }),
        say: (data) => observer.next({ result: { id: "{}", data: { id: "{}", data } } }),
      };
      connections.push(connection);
      observer.next({ result: { type: "state", state: "connecting", error: null } });
      return () => {
        connection.isOpen = false;
        observer.complete();
      };
    });

function show(state: "visible" | "hidden"): void {
  page.visibilityState = state;
  page.dispatchEvent(new Event("visibilitychange"));
}

function createClient() {
  return createTRPCClient<AppRouter>({ links: [liveLink(), server] });
}

const settle = () => vi.advanceTimersByTime(25);

beforeEach(() => {
  vi.useFakeTimers();
  connections = [];
  page = Object.assign(new EventTarget(), { visibilityState: "visible" as const });
  tab = new EventTarget();
  vi.stubGlobal("document", page);
  vi.stubGlobal("window", tab);
  useSession.setState({ session: "open", connection: "quiet", wasLive: false });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("all subscriptions of a tab share one connection, and each hears what is its own", () => {
  const client = createClient();
  const onClips = vi.fn();
  const onJobs = vi.fn();
  client.clips.follow.subscribe(undefined, { onData: onClips });
  client.jobs.follow.subscribe(undefined, { onData: onJobs });
  settle();
  expect(connections).toHaveLength(1);
  const [clips, jobs] = connections[0]?.streams ?? [];
  expect(connections[0]).toMatchObject({ path: "live.follow" });
  expect([clips?.path, jobs?.path]).toEqual(["clips.follow", "jobs.follow"]);
  connections[0]?.say({ id: clips?.id, kind: "value", event_id: "41", value: [] });
  connections[0]?.say({ id: jobs?.id, kind: "value", event_id: null, value: ["job"] });
  expect(onClips).toHaveBeenCalledWith({ id: "41", data: [] });
  expect(onJobs).toHaveBeenCalledWith(["job"]);
});

test("a subscription that joins or leaves opens the connection anew; the others go on after their last event", () => {
  const client = createClient();
  client.clips.follow.subscribe(undefined, {});
  settle();
  connections[0]?.say({ id: connections[0].streams[0]?.id, kind: "value", event_id: "7", value: [] });
  const jobs = client.jobs.follow.subscribe(undefined, {});
  settle();
  expect(connections[0]?.isOpen).toBe(false);
  expect(connections[1]?.streams).toMatchObject([
    { path: "clips.follow", input: { lastEventId: "7" } },
    { path: "jobs.follow" },
  ]);
  jobs.unsubscribe();
  settle();
  expect(connections[2]?.streams).toMatchObject([{ path: "clips.follow", input: { lastEventId: "7" } }]);
  expect(connections.filter(({ isOpen }) => isOpen)).toHaveLength(1);
});

test("the last subscription takes the connection with it", () => {
  const subscription = createClient().clips.follow.subscribe(undefined, {});
  settle();
  subscription.unsubscribe();
  settle();
  expect(connections[0]?.isOpen).toBe(false);
  expect(connections).toHaveLength(1);
});

test("one stream that ends or breaks does not disturb the others", () => {
  const client = createClient();
  const onComplete = vi.fn();
  const onError = vi.fn<(error: TRPCClientError<AppRouter>) => void>();
  const onJobs = vi.fn();
  client.clips.follow.subscribe(undefined, { onComplete });
  client.runs.followList.subscribe(undefined, { onError });
  client.jobs.follow.subscribe(undefined, { onData: onJobs });
  settle();
  const [clips, runs, jobs] = connections[0]?.streams ?? [];
  connections[0]?.say({ id: clips?.id, kind: "end" });
  connections[0]?.say({ id: runs?.id, kind: "error", code: "NOT_FOUND", message: "There is no such run." });
  connections[0]?.say({ id: jobs?.id, kind: "value", event_id: null, value: [] });
  expect(onComplete).toHaveBeenCalledOnce();
  expect(onError.mock.calls[0]?.[0].message).toBe("There is no such run.");
  expect(onError.mock.calls[0]?.[0].data?.code).toBe("NOT_FOUND");
  expect(onJobs).toHaveBeenCalledWith([]);
});

test("a hidden tab gives its connection back and goes on after the last event when it is seen again", () => {
  const onComplete = vi.fn();
  createClient().clips.follow.subscribe(undefined, { onComplete });
  settle();
  connections[0]?.say({ id: connections[0].streams[0]?.id, kind: "value", event_id: "41", value: [] });
  show("hidden");
  vi.advanceTimersByTime(9000);
  expect(connections[0]?.isOpen).toBe(true);
  vi.advanceTimersByTime(2000);
  expect(connections[0]?.isOpen).toBe(false);
  show("visible");
  settle();
  expect(connections[1]).toMatchObject({ isOpen: true, streams: [{ input: { lastEventId: "41" } }] });
  expect(onComplete).not.toHaveBeenCalled();
});

test("a page that is left gives its connection back at once and goes on when somebody comes back to it", () => {
  createClient().clips.follow.subscribe(undefined, {});
  settle();
  connections[0]?.say({ id: connections[0].streams[0]?.id, kind: "value", event_id: "41", value: [] });
  tab.dispatchEvent(new Event("pagehide"));
  expect(connections[0]?.isOpen).toBe(false);
  show("hidden");
  show("visible");
  settle();
  expect(connections[1]).toMatchObject({ isOpen: true, streams: [{ input: { lastEventId: "41" } }] });
});

test("a short look elsewhere costs nothing; a tab opened in the background waits until it is seen", () => {
  const client = createClient();
  client.clips.follow.subscribe(undefined, {});
  settle();
  show("hidden");
  vi.advanceTimersByTime(5000);
  show("visible");
  vi.advanceTimersByTime(60_000);
  expect(connections).toHaveLength(1);

  show("hidden");
  createClient().clips.follow.subscribe(undefined, {});
  vi.advanceTimersByTime(5000);
  expect(connections).toHaveLength(1);
  show("visible");
  settle();
  expect(connections).toHaveLength(2);
});

test("how the connection stands is told", () => {
  createClient().clips.follow.subscribe(undefined, {});
  settle();
  expect(useSession.getState()).toMatchObject({ connection: "connecting", wasLive: false });
  connections[0]?.connect();
  expect(useSession.getState()).toMatchObject({ connection: "live", wasLive: true });
});
