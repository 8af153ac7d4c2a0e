export * from "./tally.ts";
export * from "./types.ts";
