export * from "./presets.ts";
export * from "./schedule.ts";
