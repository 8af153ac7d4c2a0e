export { cssVariablesResolver, theme } from "./theme.ts";
export { getCssVariables, type Meaning, meanings, type Surface, surfaces, type Token } from "./tokens.ts";
