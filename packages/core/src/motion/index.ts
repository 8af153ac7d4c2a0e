export * from "./describe.ts";
export { DEFAULT_FIELD_OF_VIEW_DEG, estimateMotion } from "./estimate.ts";
export { findFieldOfView } from "./field-of-view.ts";
export * from "./pairs.ts";
export * from "./types.ts";
