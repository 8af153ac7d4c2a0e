export * from "./blocks.ts";
export * from "./consensus.ts";
export * from "./letter.ts";
export * from "./parse.ts";
export * from "./parts.ts";
export * from "./pieces.ts";
export * from "./tag-faults.ts";
export * from "./types.ts";
