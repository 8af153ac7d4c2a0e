export * from "./curve.ts";
export * from "./fold.ts";
export * from "./points.ts";
export * from "./types.ts";
