export * from "./cited.ts";
export * from "./cites.ts";
export * from "./heading.ts";
export * from "./prompt.ts";
export * from "./read-outputs.ts";
export * from "./strikes.ts";
export * from "./verdict.ts";
