export * from "./address.ts";
export * from "./checks.ts";
export * from "./events.ts";
export * from "./types.ts";
export * from "./usage.ts";
export * from "./watch.ts";
