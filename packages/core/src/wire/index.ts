export * from "./events.ts";
export * from "./names.ts";
export * from "./numbers.ts";
export * from "./parse.ts";
