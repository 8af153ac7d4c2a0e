export * from "./big-run.ts";
export { makeClip } from "./clip.ts";
export { filmWorld, selectOfWorld } from "./filmed-world.ts";
export { drawOrdinalStrip, MAX_STRIP_ORDINAL, readOrdinalStrip } from "./ordinal-strip.ts";
export * from "./run-lines.ts";
