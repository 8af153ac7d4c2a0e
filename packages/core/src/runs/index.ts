export * from "./buckets.ts";
export * from "./entries.ts";
export * from "./fold.ts";
export * from "./points.ts";
export * from "./smooth.ts";
export * from "./states.ts";
export * from "./types.ts";
export * from "./views.ts";
