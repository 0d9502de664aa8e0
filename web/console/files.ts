// Files of the machine with the browser.

import type { Problem } from "./api";
import { blank, type Draft } from "./draft";
import { t } from "./text";

const most = 4 << 20;

/** read opens files: a suite file or properties replace the draft, others are attached to it. */
export async function read(list: File[], draft: Draft, problems: Problem[], attach = false): Promise<Draft> {
  let next = draft;
  for (const file of list) {
    if (file.size > most) throw new Error(t(`${file.name} is too large: ${most >> 20} MiB at most.`, `${file.name} 过大：最多 ${most >> 20} MiB。`));
    const text = await file.text();
    if (!attach && /\.(ya?ml|properties)$/i.test(file.name)) {
      next = { ...blank, attachments: next === draft ? {} : next.attachments, mode: /\.properties$/i.test(file.name) ? "properties" : "suite", file: file.name, text, origin: `file:${file.name}:${Date.now()}` };
    } else next = { ...next, attachments: { ...next.attachments, [missing(file.name, problems)]: text } };
  }
  return next;
}

/** missing is the name by which a suite names a file that it lacks. */
function missing(name: string, problems: Problem[]): string {
  for (const p of problems) {
    const quoted = /^file "([^"]+)" is /.exec(p.message)?.[1];
    if (quoted && quoted.split("/").pop() === name) return quoted;
  }
  return name;
}

/** download saves a text as a file. */
export function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const a = document.createElement("a");
  a.href = address;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
