export * from "./account.ts";
export * from "./advantage.ts";
export * from "./embodied-r.ts";
export * from "./numeric.ts";
export * from "./score.ts";
