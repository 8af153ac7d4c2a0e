const isMac = /mac|iphone|ipad/i.test(navigator.platform);

const NAMES: Record<string, string> = {
  mod: isMac ? "⌘" : "Ctrl",
  shift: "Shift",
  alt: isMac ? "⌥" : "Alt",
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Delete: "Del",
  Escape: "Esc",
};

/** The keys of a binding as they stand on the keyboard: "mod+K" is ["Ctrl", "K"], "+" is ["+"]. */
export function getKeyLabels(key: string): string[] {
  return key.split(/\+(?=.)/).map((part) => NAMES[part] ?? part);
}
