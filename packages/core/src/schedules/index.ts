export * from "./diff.ts";
export * from "./presets.ts";
export * from "./schedule.ts";
