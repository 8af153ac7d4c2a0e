export { checkLinks } from "./check.ts";
export * from "./types.ts";
export { findWorldOfQuestion, readQuestion, remakeWorld } from "./world-of.ts";
