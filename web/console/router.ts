// Pages and their addresses below /console/.

import { useEffect, useState } from "preact/hooks";

export const root = "/console/";

/** Place is the address of a page: its path below the root as parts, and its parameters. */
export interface Place {
  parts: string[];
  query: URLSearchParams;
}

function read(): Place {
  const path = location.pathname.startsWith(root) ? location.pathname.slice(root.length) : "";
  return { parts: path.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(location.search) };
}

const listeners = new Set<() => void>();

/** href is the address of a page, such as href("suites", id). */
export function href(...parts: string[]): string {
  return root + parts.map(encodeURIComponent).join("/");
}

/** query adds parameters to an address. Those without a value are left out. */
export function query(to: string, of: Record<string, string | string[] | undefined>): string {
  const q = new URLSearchParams();
  for (const [key, values] of Object.entries(of)) {
    for (const v of Array.isArray(values) ? values : [values]) if (v) q.append(key, v);
  }
  const text = q.toString();
  return text ? `${to}?${text}` : to;
}

/** go shows a page. With replace the page before it is left out of the history. */
export function go(to: string, replace = false): void {
  if (replace) history.replaceState(null, "", to);
  else {
    history.pushState(null, "", to);
    scrollTo(0, 0);
  }
  for (const l of listeners) l();
}

/** usePlace is the address of the page that is shown. */
export function usePlace(): Place {
  const [place, set] = useState(read);
  useEffect(() => {
    const change = (): void => set(read());
    const click = (e: MouseEvent): void => {
      const a = (e.target as Element | null)?.closest?.("a");
      if (!a || e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || a.target || a.hasAttribute("download")) return;
      if (a.origin !== location.origin || !a.pathname.startsWith(root) || a.hash) return;
      e.preventDefault();
      go(a.pathname + a.search);
    };
    listeners.add(change);
    addEventListener("popstate", change);
    addEventListener("click", click);
    return () => {
      listeners.delete(change);
      removeEventListener("popstate", change);
      removeEventListener("click", click);
    };
  }, []);
  return place;
}
