export { makeClip } from "./clip.ts";
export * from "./run-lines.ts";
