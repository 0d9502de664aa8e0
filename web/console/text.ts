// Languages: a text stands in the code in both, English first.

export type Lang = "en" | "zh";

const key = "benchd-lang";

function kept(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** lang is the language of the page. A change of it loads the page again. */
export const lang: Lang = (kept() ?? navigator.language).startsWith("zh") ? "zh" : "en";

/** t is a text in the language of the page. */
export function t(english: string, chinese: string): string {
  return lang === "zh" ? chinese : english;
}

/** setLang changes the language of the page. */
export function setLang(to: Lang): void {
  try {
    localStorage.setItem(key, to);
  } catch {
    // Without storage the browser's language stays.
  }
  location.reload();
}
