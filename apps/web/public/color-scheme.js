// Sets the colour scheme before the first paint, so that a dark page never flashes white.
(() => {
  let wanted = "auto";
  try {
    wanted = localStorage.getItem("sightline-color-scheme") || "auto";
  } catch {
    // Storage is forbidden: the system's scheme is used.
  }
  const dark =
    wanted === "dark" || (wanted !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
