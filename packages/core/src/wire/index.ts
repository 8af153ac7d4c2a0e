export * from "./events.ts";
export * from "./numbers.ts";
export * from "./parse.ts";
