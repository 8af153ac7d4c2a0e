export * from "./actions.ts";
export * from "./citations.ts";
export * from "./layout.ts";
export * from "./parse.ts";
export * from "./types.ts";
