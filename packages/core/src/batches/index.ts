export * from "./pace.ts";
export * from "./report.ts";
export * from "./types.ts";
