import { execFileSync, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";

/** Why no network can be made here, to be said aloud; null where one can. */
export function whyNoNetwork(): string | null {
  const name = `sl-probe-${process.pid}`;
  const made = spawnSync("ip", ["netns", "add", name], { stdio: "ignore" }).status === 0;
  if (!made) return "Cutting a link in a network namespace needs root and `ip netns`.";
  spawnSync("ip", ["netns", "del", name], { stdio: "ignore" });
  return null;
}

/** A host's network that is joined to ours by one cable. */
export type Network = {
  /** Name of the namespace. */
  name: string;
  /** The far end's address. */
  address: string;
  /** Nothing goes through any more, and nobody is told. */
  cut(): void;
  mend(): void;
  remove(): void;
};

/** Makes a network namespace with a pair of virtual Ethernet ends. */
export function makeNetwork(): Network {
  const id = randomInt(1000, 9999);
  const name = `sl-net-${id}`;
  const [ours, theirs] = [`sl-a-${id}`, `sl-b-${id}`];
  const net = `10.231.${randomInt(1, 250)}`;
  const ip = (...args: string[]) => execFileSync("ip", args, { stdio: "ignore" });
  const within = (...args: string[]) => ip("-n", name, ...args);
  ip("netns", "add", name);
  try {
    ip("link", "add", ours, "type", "veth", "peer", "name", theirs, "netns", name);
    ip("addr", "add", `${net}.1/30`, "dev", ours);
    ip("link", "set", ours, "up");
    within("addr", "add", `${net}.2/30`, "dev", theirs);
    within("link", "set", theirs, "up");
    within("link", "set", "lo", "up");
  } catch (error) {
    spawnSync("ip", ["netns", "del", name], { stdio: "ignore" });
    throw error;
  }
  return {
    name,
    address: `${net}.2`,
    cut: () => within("link", "set", theirs, "down"),
    mend: () => within("link", "set", theirs, "up"),
    remove() {
      spawnSync("ip", ["link", "del", ours], { stdio: "ignore" });
      spawnSync("ip", ["netns", "del", name], { stdio: "ignore" });
    },
  };
}
