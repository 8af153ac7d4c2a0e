export * from "./detect.ts";
export * from "./labels.ts";
export * from "./resample.ts";
export * from "./types.ts";
export * from "./yuv.ts";
