import type { AppRouter } from "@sightline/server/router";
import { createTRPCClient, type OperationLink, type TRPCLink } from "@trpc/client";
import { observable } from "@trpc/server/observable";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { liveLink } from "./live-link.ts";
import { useSession } from "./session.ts";

/** Streams that were opened, as the server would see them. */
let opened: { input: unknown; isOpen: boolean; tell: (id: string) => void; connect: () => void }[];
let page: EventTarget & { visibilityState: "visible" | "hidden" };

const server: TRPCLink<AppRouter> =
  () =>
  ({ op }: Parameters<OperationLink<AppRouter>>[0]) =>
    observable((observer) => {
      const stream = {
        input: op.input,
        isOpen: true,
        tell: (id: string) => observer.next({ result: { id, data: { id, data: [] } } }),
        connect: () => observer.next({ result: { type: "state", state: "pending", error: null } }),
      };
      opened.push(stream);
      observer.next({ result: { type: "state", state: "connecting", error: null } });
      return () => {
        stream.isOpen = false;
        observer.complete();
      };
    });

function show(state: "visible" | "hidden"): void {
  page.visibilityState = state;
  page.dispatchEvent(new Event("visibilitychange"));
}

beforeEach(() => {
  vi.useFakeTimers();
  opened = [];
  page = Object.assign(new EventTarget(), { visibilityState: "visible" as const });
  vi.stubGlobal("document", page);
  useSession.setState({ session: "open", streams: new Map(), wasLive: false });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const client = createTRPCClient<AppRouter>({ links: [liveLink(), server] });

function follow(onComplete = () => {}) {
  return client.clips.follow.subscribe(undefined, { onComplete });
}

test("a hidden tab lets go of its stream and goes on after the last event when it is seen again", () => {
  const onComplete = vi.fn();
  follow(onComplete);
  opened[0]?.connect();
  opened[0]?.tell("41");
  show("hidden");
  vi.advanceTimersByTime(14_000);
  expect(opened[0]?.isOpen).toBe(true);
  vi.advanceTimersByTime(2000);
  expect(opened[0]?.isOpen).toBe(false);
  expect(useSession.getState().streams.size).toBe(0);
  show("visible");
  expect(opened).toHaveLength(2);
  expect(opened[1]).toMatchObject({ isOpen: true, input: { lastEventId: "41" } });
  expect(onComplete).not.toHaveBeenCalled();
});

test("a short look elsewhere costs nothing", () => {
  follow();
  show("hidden");
  vi.advanceTimersByTime(5000);
  show("visible");
  vi.advanceTimersByTime(60_000);
  expect(opened).toHaveLength(1);
  expect(opened[0]?.isOpen).toBe(true);
});

test("an ended subscription does not come back", () => {
  const subscription = follow();
  subscription.unsubscribe();
  show("hidden");
  vi.advanceTimersByTime(60_000);
  show("visible");
  expect(opened).toHaveLength(1);
  expect(opened[0]?.isOpen).toBe(false);
});

test("how the streams stand is told", () => {
  follow();
  follow();
  const states = () => [...useSession.getState().streams.values()];
  expect(states()).toEqual(["connecting", "connecting"]);
  opened[0]?.connect();
  opened[1]?.connect();
  expect(states()).toEqual(["live", "live"]);
  expect(useSession.getState().wasLive).toBe(true);
});
