export * from "./clip-key.ts";
export * from "./draft.ts";
export * from "./export.ts";
export * from "./import.ts";
export * from "./inline-options.ts";
export * from "./parse-rows.ts";
export * from "./split.ts";
export * from "./types.ts";
