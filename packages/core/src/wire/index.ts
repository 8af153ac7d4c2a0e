export * from "./events.ts";
export * from "./parse.ts";
