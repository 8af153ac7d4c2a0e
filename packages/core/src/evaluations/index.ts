export * from "./prior.ts";
export * from "./tally.ts";
export * from "./types.ts";
