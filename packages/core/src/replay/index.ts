export * from "./formula.ts";
export * from "./questions.ts";
export * from "./score.ts";
export * from "./tally.ts";
export * from "./types.ts";
