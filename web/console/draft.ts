// What someone has typed for a new run. It stays in the browser until it is submitted: across a reload, and a restart of the coordinator.

import type { Mode } from "./complete";
import type { Submission } from "./types";
import { entries, type Entry } from "./yaml";

/** Fields are what a submission has besides its file. */
export interface Fields {
  name: string;
  note: string;
  tags: string; // a line for each
  agents: string;
  select: string; // a line for each
  loss: string;
  wait: string;
  trial: boolean;
  variables: Record<string, string>;
  properties: string; // of a suite file, a line for each; they win over the file's
}

/** Draft is a submission that is being made. */
export interface Draft {
  mode: Mode;
  file: string; // its name
  text: string;
  attachments: Record<string, string>;
  fields: Fields;
  origin: string; // template:NAME, from:ID, file:NAME, or empty
  touched: boolean; // changed since it was opened
  withheld: string[]; // secrets that the submission it comes from had
}

const noFields: Fields = { name: "", note: "", tags: "", agents: "", select: "", loss: "", wait: "", trial: false, variables: {}, properties: "" };

/** blank is the draft of an empty page. */
export const blank: Draft = { mode: "suite", file: "suite.yaml", text: "", attachments: {}, fields: noFields, origin: "", touched: false, withheld: [] };

const key = "benchd-draft";
const earlier = "benchd-draft-before";

function stores(): Storage[] {
  try {
    return [sessionStorage, localStorage]; // the draft of this tab, then that of the last one
  } catch {
    return [];
  }
}

function load(name: string): Draft | undefined {
  for (const s of stores()) {
    try {
      const text = s.getItem(name);
      if (text) return { ...blank, ...(JSON.parse(text) as Draft) };
    } catch {
      // A draft that cannot be read is none.
    }
  }
  return undefined;
}

function store(name: string, draft: Draft | undefined): void {
  for (const s of stores()) {
    try {
      if (draft) s.setItem(name, JSON.stringify(draft));
      else s.removeItem(name);
    } catch {
      // Without room the draft is only on the page.
    }
  }
}

/** kept is the draft that this browser has. */
export function kept(): Draft | undefined {
  return load(key);
}

/** keep stores a draft, or removes it. */
export function keep(draft: Draft | undefined): void {
  store(key, draft);
}

/** setAside stores a draft that another one replaces. before returns it. */
export function setAside(draft: Draft | undefined): void {
  store(earlier, draft);
}

/** before is the draft that another one replaced. */
export function before(): Draft | undefined {
  return load(earlier);
}

/** lines are names with values as lines of text. */
export function lines(of: Record<string, string> | null | undefined): string {
  return Object.entries(of ?? {}).map(([k, v]) => `${k}=${v}`).join("\n");
}

/** pairs reads lines of name=value. */
export function pairs(text: string): Record<string, string> {
  const all = text.split("\n").map((l) => l.trim()).filter(Boolean);
  return Object.fromEntries(all.map((l) => (l.includes("=") ? [l.slice(0, l.indexOf("=")).trim(), l.slice(l.indexOf("=") + 1).trim()] : [l, ""])));
}

/** opened is the draft of an earlier submission. */
export function opened(s: Submission, id: string): Draft {
  const fields: Fields = {
    name: s.name ?? "", note: s.note ?? "", tags: lines(s.tags), agents: s.agents ? String(s.agents) : "", select: lines(s.select), loss: s.on_agent_loss ?? "",
    wait: s.wait_agents ?? "", trial: s.trial ?? false, variables: s.variables ?? {}, properties: s.suite ? lines(s.properties) : "",
  };
  const common = { ...blank, attachments: s.attachments ?? {}, fields, origin: `from:${id}`, withheld: s.withheld ?? [] };
  if (s.suite) return { ...common, mode: "suite", file: s.suite.name || "suite.yaml", text: s.suite.content };
  const files = s.files ?? [];
  const own = lines(s.properties);
  if (files.length === 1 && files[0] && !own) return { ...common, mode: "properties", file: files[0].name, text: files[0].content };
  // Later files win, and single properties win over all: what they replace is left out.
  const last = new Map<string, string>();
  for (const text of [...files.map((f) => f.content), own]) {
    for (const line of text.split("\n")) {
      const name = /^\s*([^=:\s#!]+)\s*[=:]/.exec(line)?.[1];
      if (name === undefined) continue;
      last.delete(name);
      last.set(name, line.trim());
    }
  }
  return { ...common, mode: "properties", file: "run.properties", text: [...last.values(), ""].join("\n") };
}

/** Outline is what the form needs to know of a suite file. */
export interface Outline {
  trial: boolean;
  schedule: boolean;
  name: string;
  note: string;
  variables: Entry[];
}

/** outline reads a draft's file. */
export function outline(d: Draft): Outline {
  if (d.mode !== "suite") return { trial: false, schedule: false, name: "", note: "", variables: [] };
  const all = entries(d.text);
  const top = (name: string): Entry | undefined => all.find((e) => e.path.length === 0 && e.key === name);
  return {
    trial: top("trial") !== undefined,
    schedule: top("schedule") !== undefined,
    name: top("suite")?.value ?? "",
    note: top("note")?.value ?? "",
    variables: all.filter((e) => e.path.length === 1 && e.path[0] === "variables"),
  };
}

/** submission is what the coordinator gets. */
export function submission(d: Draft, o: Outline): Submission {
  const f = d.fields;
  const s: Submission = d.mode === "suite" ? { suite: { name: d.file, content: d.text } } : { files: [{ name: d.file, content: d.text }] };
  const variables = Object.fromEntries(o.variables.map((v) => [v.key, f.variables[v.key] ?? ""] as const).filter(([, v]) => v !== ""));
  if (Object.keys(variables).length > 0) s.variables = variables;
  if (Object.keys(d.attachments).length > 0) s.attachments = d.attachments;
  if (f.trial && o.trial) s.trial = true;
  if (d.mode === "suite" && (f.properties ?? "").trim()) s.properties = pairs(f.properties);
  if (f.name.trim()) s.name = f.name.trim();
  if (f.note.trim()) s.note = f.note.trim();
  if (f.tags.trim()) s.tags = pairs(f.tags);
  if (f.select.trim()) s.select = pairs(f.select);
  if (f.agents.trim()) s.agents = Number(f.agents);
  if (f.loss) s.on_agent_loss = f.loss;
  if (f.wait.trim()) s.wait_agents = f.wait.trim();
  return s;
}
