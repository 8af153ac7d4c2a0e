import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";
import { getCssVariables, surfaces } from "./tokens.ts";

const iris: MantineColorsTuple = [
  "#eceefc",
  "#d7dbf8",
  "#b4bbf2",
  "#8d98f7",
  "#6f7bea",
  "#5864dc",
  "#4a57cf",
  "#3d49b6",
  "#343e99",
  "#2c347d",
];

const dark: MantineColorsTuple = [
  "#e6e8eb",
  "#b0b6be",
  "#8e959f",
  "#5d6570",
  "#3a414a",
  "#272c33",
  "#1b1f24",
  "#15181c",
  "#0f1114",
  "#0b0d0f",
];

/** The look of Sightline: dense, quiet, one accent. */
export const theme = createTheme({
  primaryColor: "iris",
  primaryShade: { light: 6, dark: 4 },
  colors: { iris, dark },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  headings: { fontWeight: "600" },
  fontSizes: { xs: "11px", sm: "12.5px", md: "13.5px", lg: "15px", xl: "18px" },
  lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.5", xl: "1.4" },
  spacing: { xs: "6px", sm: "10px", md: "14px", lg: "20px", xl: "28px" },
  radius: { xs: "3px", sm: "5px", md: "7px", lg: "10px", xl: "14px" },
  defaultRadius: "sm",
  cursorType: "pointer",
  respectReducedMotion: true,
});

/** Puts the tokens beside Mantine's own variables, and Mantine's on the tokens. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...getCssVariables("light"),
    "--mantine-color-body": surfaces.ground.light,
    "--mantine-color-text": surfaces.ink.light,
    "--mantine-color-dimmed": surfaces["ink-3"].light,
    "--mantine-color-default-border": surfaces["line-strong"].light,
  },
  dark: {
    ...getCssVariables("dark"),
    "--mantine-color-body": surfaces.ground.dark,
    "--mantine-color-text": surfaces.ink.dark,
    "--mantine-color-dimmed": surfaces["ink-3"].dark,
    "--mantine-color-default-border": surfaces["line-strong"].dark,
  },
});
