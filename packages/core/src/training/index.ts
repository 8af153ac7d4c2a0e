export * from "./question-file.ts";
