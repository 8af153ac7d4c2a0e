/** One colour in the two colour schemes, as #rrggbb. */
export type Token = { light: string; dark: string };

/** What a colour means; the same everywhere in the product. */
export type Meaning = "format" | "accuracy" | "consistency" | "total" | "wrong" | "unknown" | "human";

/** A meaning in three strengths: a mark on a chart, text, and a tint behind text. */
export type MeaningTokens = { mark: Token; text: Token; soft: Token };

/** Okabe–Ito hues, moved in lightness until each is legible in both schemes; `tokens.test.ts` holds the limits. */
export const meanings: Record<Meaning, MeaningTokens> = {
  format: {
    mark: { light: "#0a62b4", dark: "#4190e4" },
    text: { light: "#06559d", dark: "#74b4f0" },
    soft: { light: "#e4eefa", dark: "#14283f" },
  },
  accuracy: {
    mark: { light: "#0c9b7c", dark: "#3dd0a0" },
    text: { light: "#067158", dark: "#57d8ae" },
    soft: { light: "#dff3ed", dark: "#102e27" },
  },
  consistency: {
    mark: { light: "#8f3d86", dark: "#eda2e4" },
    text: { light: "#8a3a81", dark: "#eeaee6" },
    soft: { light: "#f6e7f4", dark: "#33213a" },
  },
  total: {
    mark: { light: "#23272e", dark: "#e6e8eb" },
    text: { light: "#23272e", dark: "#e6e8eb" },
    soft: { light: "#eceef1", dark: "#262a30" },
  },
  wrong: {
    mark: { light: "#c04405", dark: "#fb7d31" },
    text: { light: "#b03c00", dark: "#fd9a62" },
    soft: { light: "#fceae0", dark: "#3a2114" },
  },
  unknown: {
    mark: { light: "#69707a", dark: "#929aa4" },
    text: { light: "#616871", dark: "#a3abb4" },
    soft: { light: "#eff1f3", dark: "#23272c" },
  },
  human: {
    mark: { light: "#ab8312", dark: "#f2c94c" },
    text: { light: "#7d5e00", dark: "#f5d369" },
    soft: { light: "#f9f0d3", dark: "#332a10" },
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
  "ink-3": { light: "#626973", dark: "#8e959f" },
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
