export * from "./card.ts";
export * from "./paired.ts";
export * from "./prior.ts";
export * from "./tally.ts";
export * from "./types.ts";
