// The script of a report's page. It draws the charts over time when they come into view, and all of them for paper.

import { TimeChart } from "./chart";
import type { Chart, Position } from "./data";
import { Group } from "./group";
import { themes } from "./theme";

function read<T>(e: Element | null): T | undefined {
  return e?.textContent ? (JSON.parse(e.textContent) as T) : undefined;
}

const charts = new Map<Element, TimeChart>();

function setUp(): void {
  const texts = read<Record<string, string>>(document.getElementById("texts")) ?? {};
  const positions = read<Position[]>(document.getElementById("positions")) ?? [];
  const groups = new Map<string, Group>();
  const watch = new IntersectionObserver(
    (entries) => {
      for (const e of entries) charts.get(e.target)?.appear(e.isIntersecting);
    },
    { rootMargin: "150px" },
  );
  document.querySelectorAll<HTMLElement>(".plot").forEach((box, i) => {
    const chart = read<Chart>(box.querySelector("script"));
    if (!chart) return;
    const name = chart.group ?? `alone-${i}`;
    const group = groups.get(name) ?? new Group();
    groups.set(name, group);
    charts.set(box, new TimeChart(box, chart, positions, group, (english) => texts[english] ?? english));
    watch.observe(box);
  });
  // The keyboard reaches the buttons of charts that are not drawn yet.
  charts.forEach((c) => c.label());
}

// Boxes that scroll can be reached with the keyboard; others need not.
function scrollers(): void {
  const check = (box: HTMLElement): void => {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  };
  const sizes = new ResizeObserver((entries) => entries.forEach((e) => check(e.target as HTMLElement)));
  document.querySelectorAll<HTMLElement>(".scroll, .picture, pre").forEach((box) => sizes.observe(box));
}

// A link to a closed chapter opens it.
function open(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const closed = target?.closest("details");
  if (closed) closed.open = true;
}

// On paper everything is open and light.
function paper(): void {
  let closed: HTMLDetailsElement[] = [];
  let theme: string | undefined;
  let printing = false;
  addEventListener("beforeprint", () => {
    if (printing) return;
    printing = true;
    const root = document.documentElement;
    theme = root.dataset["theme"];
    root.dataset["theme"] = "light";
    closed = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    for (const d of closed) d.open = true;
    charts.forEach((c) => c.toPaper());
  });
  addEventListener("afterprint", () => {
    printing = false;
    const root = document.documentElement;
    if (theme === undefined) delete root.dataset["theme"];
    else root.dataset["theme"] = theme;
    for (const d of closed) d.open = false;
    charts.forEach((c) => c.fromPaper());
  });
}

themes(() => charts.forEach((c) => c.restyle()));
if (matchMedia("(max-width: 75rem)").matches) document.querySelector<HTMLDetailsElement>(".toc details")?.removeAttribute("open");
setUp();
scrollers();
paper();
addEventListener("hashchange", open);
open();
