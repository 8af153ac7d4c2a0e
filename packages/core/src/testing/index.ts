export * from "./run-lines.ts";
