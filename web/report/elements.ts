// Elements of the page.

/** element makes an element with a text. */
export function element<K extends keyof HTMLElementTagNameMap>(name: K, className: string, text = ""): HTMLElementTagNameMap[K] {
  const e = document.createElement(name);
  e.className = className;
  e.textContent = text;
  return e;
}

/** shortened writes a text that may be long: all of it is in the title. */
export function shortened(text: string, e: HTMLElement): void {
  const letters = [...text];
  e.textContent = letters.length > 60 ? letters.slice(0, 59).join("") + "…" : text;
  if (letters.length > 30) e.title = text;
}
