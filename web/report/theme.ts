// Colours of the page, for what is drawn on a canvas.

import type { MarkKind } from "./data";

export interface Palette {
  ink: string;
  muted: string;
  grid: string;
  line: string;
  paper: string;
  limit: string;
  series: string[];
  mark: Record<MarkKind, string>;
  heat: [number, number, number][];
}

/** palette reads the colours of the present theme. */
export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const get = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: get("ink"), muted: get("muted"), grid: get("grid"), line: get("line"), paper: get("paper"), limit: get("chart-limit"),
    series: [1, 2, 3, 4, 5, 6, 7, 8].map((i) => get(`series-${i}`)),
    mark: {
      action: get("chart-action"), event: get("chart-event"), dip: get("chart-dip"), phase: get("chart-phase"), chosen: get("chart-chosen"),
    },
    heat: [0, 1, 2, 3, 4].map((i) => rgb(get(`heat${i}`))),
  };
}

function rgb(hex: string): [number, number, number] {
  const n = parseInt(hex.slice(1).length === 3 ? hex.slice(1).replace(/./g, "$&$&") : hex.slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const key = "benchd-theme";

/** isDark reports whether the page is dark now. */
function isDark(): boolean {
  const chosen = document.documentElement.dataset["theme"];
  return chosen ? chosen === "dark" : dark.matches;
}

/** themes sets the switch up, and calls changed after each change of the theme. */
export function themes(changed: () => void): void {
  const root = document.documentElement;
  const button = document.getElementById("theme") as HTMLButtonElement;
  try {
    const kept = localStorage.getItem(key);
    if (kept === "dark" || kept === "light") root.dataset["theme"] = kept;
  } catch {
    // A page from a file may have no storage.
  }
  const show = (): void => button.setAttribute("aria-pressed", String(isDark()));
  button.hidden = false;
  show();
  button.addEventListener("click", () => {
    root.dataset["theme"] = isDark() ? "light" : "dark";
    try {
      localStorage.setItem(key, root.dataset["theme"]);
    } catch {
      // As above.
    }
    show();
    changed();
  });
  dark.addEventListener("change", () => {
    show();
    changed();
  });
}
