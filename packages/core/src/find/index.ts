export * from "./filter.ts";
export * from "./types.ts";
export * from "./words.ts";
