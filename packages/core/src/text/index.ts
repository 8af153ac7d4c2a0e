export * from "./hidden.ts";
