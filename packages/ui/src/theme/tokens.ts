/** One colour in the two colour schemes, as #rrggbb. */
export type Token = { light: string; dark: string };

/** What a colour means; the same everywhere in the product. */
export type Meaning = "format" | "accuracy" | "consistency" | "total" | "wrong" | "unknown" | "human";

/** A meaning in three strengths: a mark on a chart, text, and a tint behind text. */
export type MeaningTokens = { mark: Token; text: Token; soft: Token };

/** Okabe–Ito hues, moved in lightness until each is legible in both schemes; `tokens.test.ts` holds the limits. */
export const meanings: Record<Meaning, MeaningTokens> = {
  format: {
    mark: { light: "#0072b2", dark: "#4da6e0" },
    text: { light: "#00669f", dark: "#6cb8ea" },
    soft: { light: "#e3f0f8", dark: "#12293a" },
  },
  accuracy: {
    mark: { light: "#009370", dark: "#2cc398" },
    text: { light: "#007558", dark: "#4ad0a8" },
    soft: { light: "#def3ec", dark: "#0f2e26" },
  },
  consistency: {
    mark: { light: "#b8568f", dark: "#e08fbd" },
    text: { light: "#a03f77", dark: "#e8a3c9" },
    soft: { light: "#f8e8f1", dark: "#35202d" },
  },
  total: {
    mark: { light: "#23272e", dark: "#e6e8eb" },
    text: { light: "#23272e", dark: "#e6e8eb" },
    soft: { light: "#eceef1", dark: "#262a30" },
  },
  wrong: {
    mark: { light: "#d55e00", dark: "#ff7f3f" },
    text: { light: "#b04d00", dark: "#ff9a66" },
    soft: { light: "#fceadd", dark: "#3a2114" },
  },
  unknown: {
    mark: { light: "#848b94", dark: "#868e98" },
    text: { light: "#646b75", dark: "#a0a7b0" },
    soft: { light: "#eff1f3", dark: "#23272c" },
  },
  human: {
    mark: { light: "#ad7f00", dark: "#f0bf3c" },
    text: { light: "#835f00", dark: "#f4cb5c" },
    soft: { light: "#faf0d2", dark: "#342a10" },
  },
};

/** Grounds, lines and ink. */
export const surfaces = {
  ground: { light: "#f7f8f9", dark: "#0f1114" },
  surface: { light: "#ffffff", dark: "#15181c" },
  raised: { light: "#ffffff", dark: "#1b1f24" },
  sunken: { light: "#f0f1f4", dark: "#0b0d0f" },
  hover: { light: "#f0f2f5", dark: "#1f242a" },
  line: { light: "#e2e5e9", dark: "#272c33" },
  "line-strong": { light: "#c9ced5", dark: "#3a414a" },
  ink: { light: "#1b1e24", dark: "#e6e8eb" },
  "ink-2": { light: "#4d545e", dark: "#b0b6be" },
  "ink-3": { light: "#676e78", dark: "#8e959f" },
  accent: { light: "#4a57cf", dark: "#8d98f7" },
  "accent-text": { light: "#4350c6", dark: "#a3acf9" },
  "accent-soft": { light: "#eceefc", dark: "#20243f" },
} satisfies Record<string, Token>;

export type Surface = keyof typeof surfaces;

/** All colours of one scheme as CSS variables: `--sl-format`, `--sl-format-text`, `--sl-format-soft`, `--sl-ink`. */
export function getCssVariables(scheme: "light" | "dark"): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [name, token] of Object.entries(surfaces)) variables[`--sl-${name}`] = token[scheme];
  for (const [name, token] of Object.entries(meanings)) {
    variables[`--sl-${name}`] = token.mark[scheme];
    variables[`--sl-${name}-text`] = token.text[scheme];
    variables[`--sl-${name}-soft`] = token.soft[scheme];
  }
  return variables;
}
