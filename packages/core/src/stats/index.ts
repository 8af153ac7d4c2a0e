export * from "./wilson.ts";
