import {
  ActionIcon,
  Button,
  Checkbox,
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  Kbd,
  type MantineColorsTuple,
  Menu,
  Modal,
  Notification,
  Popover,
  SegmentedControl,
  Select,
  TagsInput,
  TextInput,
  Tooltip,
  type VariantColorsResolver,
} from "@mantine/core";
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

/** Colours of meaning are bright in the dark scheme: what is written on them has the colour of the page, not white. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  return input.variant === "filled" && input.color?.startsWith("var(--sl-")
    ? { ...colors, color: "var(--sl-surface)" }
    : colors;
};

/** The look of Sightline: dense, quiet, one accent. */
export const theme = createTheme({
  primaryColor: "iris",
  primaryShade: 6,
  colors: { iris, dark },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  headings: { fontWeight: "600" },
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "16px", xl: "20px" },
  lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.5", xl: "1.35" },
  spacing: { xs: "6px", sm: "10px", md: "14px", lg: "20px", xl: "28px" },
  radius: { xs: "3px", sm: "5px", md: "7px", lg: "10px", xl: "14px" },
  defaultRadius: "sm",
  shadows: {
    xs: "none",
    sm: "0 1px 2px rgb(0 0 0 / 6%)",
    md: "0 4px 16px rgb(0 0 0 / 10%), 0 0 0 1px var(--sl-line)",
    lg: "0 10px 32px rgb(0 0 0 / 14%), 0 0 0 1px var(--sl-line)",
    xl: "0 16px 48px rgb(0 0 0 / 18%), 0 0 0 1px var(--sl-line)",
  },
  cursorType: "pointer",
  respectReducedMotion: true,
  variantColorResolver,
  components: {
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: "subtle", color: "gray", size: 28 } }),
    Button: Button.extend({ defaultProps: { size: "xs" } }),
    Checkbox: Checkbox.extend({ defaultProps: { size: "xs" } }),
    Kbd: Kbd.extend({ defaultProps: { size: "xs", ff: "text", fw: 500 } }),
    Menu: Menu.extend({
      defaultProps: { shadow: "md", withinPortal: true, transitionProps: { duration: 80 } },
    }),
    Modal: Modal.extend({
      defaultProps: {
        transitionProps: { duration: 100 },
        overlayProps: { backgroundOpacity: 0.35, blur: 0 },
        closeButtonProps: { "aria-label": "Close" },
      },
      styles: { title: { fontSize: 15, fontWeight: 600 } },
    }),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { "aria-label": "Close" } } }),
    Popover: Popover.extend({ defaultProps: { shadow: "md", transitionProps: { duration: 80 } } }),
    SegmentedControl: SegmentedControl.extend({ defaultProps: { size: "xs" } }),
    Select: Select.extend({ defaultProps: { size: "xs", comboboxProps: { shadow: "md" } } }),
    TagsInput: TagsInput.extend({ defaultProps: { size: "xs", comboboxProps: { shadow: "md" } } }),
    TextInput: TextInput.extend({ defaultProps: { size: "xs" } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 350, transitionProps: { duration: 80 } } }),
  },
});

/** Puts the tokens beside Mantine's own variables, and Mantine's on the tokens. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...getCssVariables("light"),
    "--mantine-color-body": surfaces.raised.light,
    "--mantine-color-text": surfaces.ink.light,
    "--mantine-color-dimmed": surfaces["ink-3"].light,
    "--mantine-color-default-border": surfaces["line-strong"].light,
  },
  dark: {
    ...getCssVariables("dark"),
    "--mantine-color-body": surfaces.raised.dark,
    "--mantine-color-text": surfaces.ink.dark,
    "--mantine-color-dimmed": surfaces["ink-3"].dark,
    "--mantine-color-default-border": surfaces["line-strong"].dark,
  },
});
