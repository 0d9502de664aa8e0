// Sentences of the coordinator in the language of the page.

import { lang } from "./text";

/** inLanguage adds the language of the page to the path of a document that has sentences. */
export function inLanguage(path: string): string {
  return lang === "en" ? path : `${path}${path.includes("?") ? "&" : "?"}lang=${lang}`;
}
