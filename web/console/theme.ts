// The theme of the page, and what has to be drawn again when it changes.

import { themes } from "../report/theme";

const listeners = new Set<() => void>();

/** onTheme calls changed after each change of the theme. The result ends that. */
export function onTheme(changed: () => void): () => void {
  listeners.add(changed);
  return () => void listeners.delete(changed);
}

/** startThemes sets up the button with the id theme. */
export function startThemes(): void {
  themes(() => listeners.forEach((l) => l()));
}
