export * from "./generate.ts";
export * from "./moves.ts";
export * from "./path.ts";
export * from "./questions.ts";
export * from "./random.ts";
export * from "./triples.ts";
export * from "./truth.ts";
export * from "./types.ts";
