// Completion and documentation while a suite file or properties are typed.

import { startCompletion, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { hoverTooltip, type EditorView } from "@codemirror/view";
import type { Extension, Text } from "@codemirror/state";
import type { Node, Schema } from "./schema";
import { t } from "./text";
import { entries, scan, type Spot } from "./yaml";

/** Mode is what the editor has: a suite file, or lines of properties. */
export type Mode = "suite" | "properties";

/** Context is what completion asks for at each use. */
export interface Context {
  schema: Schema | undefined;
  mode: Mode;
}

const word = /^[\w.\-]*$/;

/** completions offers keys and values at the cursor. */
export function completions(of: () => Context): (c: CompletionContext) => CompletionResult | null {
  return (c) => {
    const { schema, mode } = of();
    if (!schema) return null;
    return mode === "suite" ? inSuite(c, schema) : inProperties(c, schema);
  };
}

function inSuite(c: CompletionContext, schema: Schema): CompletionResult | null {
  const spot = scan(c.state.sliceDoc(0, c.pos));
  if (!spot) return null;
  const here = schema.at(spot.path);
  const typed = spot.word.replace(/^["']/, "");
  const from = spot.start + spot.word.length - typed.length;
  if (spot.kind === "key") {
    if (!c.explicit && typed === "") return null;
    const options = [...keys(schema, here, spot, c), ...names(spot.path, c.state.doc), ...schema.values(here).map((v) => ({ label: v, type: "enum" }))];
    return options.length > 0 ? { from, options, validFor: word } : null;
  }
  const node = schema.child(here, spot.key);
  const options: Completion[] = [...schema.values(node).map((v) => ({ label: v, type: "enum" })), ...names([...spot.path, spot.key], c.state.doc)];
  if (options.length === 0 || (!c.explicit && options.some((o) => o.label === typed))) return null;
  return { from, options, validFor: word };
}

/** databases begin the names of properties that only one of them has. */
const databases = /^(hbase|cassandra|mongodb|postgres|sequoiadb|null|sandbox)\./;

function keys(schema: Schema, here: Node | undefined, spot: Spot, c: CompletionContext): Completion[] {
  const text = c.state.doc.toString();
  const used = new Set(entries(text).filter((e) => e.key === "db").map((e) => e.value));
  const behind = c.state.sliceDoc(c.pos, c.state.doc.lineAt(c.pos).to);
  return schema.keys(here).map(({ name, node, required }) => {
    const db = databases.exec(name)?.[1];
    return {
      label: name,
      type: "property",
      detail: schema.kind(node),
      boost: required ? 20 : db === undefined ? 0 : used.has(db) ? 5 : -20,
      info: () => documentation(schema, name, node),
      apply: (view: EditorView, _: Completion, from: number, to: number) => insert(view, schema, node, name, spot, /^\s*:/.test(behind), from, to),
    };
  });
}

function insert(view: EditorView, schema: Schema, node: Node, name: string, spot: Spot, colon: boolean, from: number, to: number): void {
  let text = name;
  if (!colon) {
    const kind = schema.kind(node);
    const line = view.state.doc.lineAt(from);
    const inner = " ".repeat(from - line.from + 2);
    if (spot.flow) text += kind === "map" ? ": {" : kind === "list" ? ": [" : ": ";
    else text += kind === "map" ? `:\n${inner}` : kind === "list" ? `:\n${inner}- ` : ": ";
  }
  const after = spot.flow && !colon ? (text.endsWith("{") ? "}" : text.endsWith("[") ? "]" : "") : "";
  view.dispatch({ changes: { from, to, insert: text + after }, selection: { anchor: from + text.length }, userEvent: "input.complete" });
  if (!colon && (schema.values(node).length > 0 || schema.kind(node) === "map")) startCompletion(view);
}

/** names are those that the file itself gives: of its datasets, scenarios and targets. */
function names(path: string[], doc: Text): Completion[] {
  const end = path.filter((p) => p !== "-").join("/");
  const all = entries(doc.toString());
  const of = (at: string, key: string): string[] => all.filter((e) => e.path.join("/") === at && (key === "" || e.key === key)).map((e) => (key === "" ? e.key : e.value));
  let list: string[] = [];
  if (end === "scenarios/dataset") list = of("datasets", "");
  else if (/^(tables|charts)\/scenarios$/.test(end)) list = of("scenarios/-", "name");
  else if (end === "scenarios/targets" || end === "scenarios/per-target") list = of("targets", "");
  return [...new Set(list)].map((label) => ({ label, type: "constant", detail: t("in this file", "本文件中") }));
}

function inProperties(c: CompletionContext, schema: Schema): CompletionResult | null {
  const line = c.state.doc.lineAt(c.pos);
  const before = line.text.slice(0, c.pos - line.from);
  if (/^\s*[#!]/.test(before)) return null;
  const value = /^\s*([^=:\s]+)\s*[=:]\s*(.*)$/.exec(before);
  if (value) {
    const options = schema.values(schema.child(schema.properties, value[1] ?? "")).map((v) => ({ label: v, type: "enum" }));
    return options.length > 0 ? { from: c.pos - (value[2] ?? "").length, options, validFor: word } : null;
  }
  const typed = before.trimStart();
  if (!c.explicit && typed === "") return null;
  const behind = line.text.slice(c.pos - line.from);
  return {
    from: c.pos - typed.length,
    validFor: word,
    options: schema.keys(schema.properties).map(({ name, node }) => ({
      label: name,
      type: "property",
      detail: schema.kind(node),
      info: () => documentation(schema, name, node),
      apply: /^\s*[=:]/.test(behind) ? name : `${name}=`,
    })),
  };
}

/** documentation shows what a key means. */
function documentation(schema: Schema, name: string, node: Node): HTMLElement {
  const box = document.createElement("div");
  box.className = "doc-of";
  const head = box.appendChild(document.createElement("strong"));
  head.textContent = name;
  box.append(` ${[schema.kind(node), schema.range(node)].filter(Boolean).join(", ")}`);
  const text = box.appendChild(document.createElement("p"));
  text.textContent = node.description ?? "";
  const values = schema.values(node);
  if (values.length > 0) {
    const list = box.appendChild(document.createElement("p"));
    list.textContent = t("Values: ", "取值：") + values.join(", ");
  }
  return box;
}

/** hover shows the documentation of the key under the pointer. */
export function hover(of: () => Context): Extension {
  return hoverTooltip((view, pos) => {
    const { schema, mode } = of();
    if (!schema) return null;
    const line = view.state.doc.lineAt(pos);
    let from = pos;
    let to = pos;
    const part = (at: number): boolean => at >= line.from && at < line.to && /[\w.\-]/.test(line.text.charAt(at - line.from));
    while (part(from - 1)) from--;
    while (part(to)) to++;
    if (from === to) return null;
    let name = line.text.slice(from - line.from, to - line.from);
    let node: Node | undefined;
    if (mode === "suite") {
      const spot = scan(view.state.sliceDoc(0, to));
      if (!spot) return null;
      if (spot.kind === "value") name = spot.key;
      node = schema.child(schema.at(spot.path), name);
    } else {
      name = /^\s*([^=:\s]+)/.exec(line.text)?.[1] ?? "";
      node = schema.child(schema.properties, name);
    }
    if (!node?.description) return null;
    const found = node;
    return { pos: from, end: to, above: true, create: () => ({ dom: documentation(schema, name, found) }) };
  });
}
