// Whether the page around is light or dark, and word when that changes. Asked for in this
// order: JupyterLab's and Notebook's attribute, VS Code's class, the browser's preference.

export type Theme = "light" | "dark";

export function currentTheme(): Theme {
  const { dataset, classList } = document.body;
  if (dataset.jpThemeLight !== undefined) {
    return dataset.jpThemeLight === "true" ? "light" : "dark";
  }
  if (
    classList.contains("vscode-light") ||
    classList.contains("vscode-high-contrast-light")
  ) {
    return "light";
  }
  if (classList.contains("vscode-dark") || classList.contains("vscode-high-contrast")) {
    return "dark";
  }
  return preference().matches ? "dark" : "light";
}

/** Calls `changed` when the theme may be another, until `signal`. */
export function watchTheme(changed: () => void, signal: AbortSignal): void {
  const observer = new MutationObserver(changed);
  observer.observe(document.body, {
    attributeFilter: ["data-jp-theme-light", "class"],
  });
  signal.addEventListener("abort", () => observer.disconnect());
  preference().addEventListener("change", changed, { signal });
}

function preference(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}
