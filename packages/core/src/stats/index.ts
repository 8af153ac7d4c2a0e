export * from "./clustered.ts";
export * from "./wilson.ts";
