export * from "./check-prompt.ts";
export * from "./heading-prompt.ts";
export * from "./policy-prompt.ts";
export * from "./types.ts";
