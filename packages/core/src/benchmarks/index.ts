export * from "./import.ts";
export * from "./inline-options.ts";
export * from "./split.ts";
export * from "./types.ts";
