export * from "./grpo-rows.ts";
export * from "./question-file.ts";
export * from "./reward-file.ts";
