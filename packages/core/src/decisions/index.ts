export * from "./check.ts";
export * from "./decided-schema.ts";
export * from "./describe.ts";
export * from "./fold.ts";
export * from "./history.ts";
export * from "./judge-action.ts";
export * from "./types.ts";
