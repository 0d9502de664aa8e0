// Where a cursor is in a suite file, and what the file has. It reads YAML that is being typed: whatever is before the cursor gives the path.

/** Spot is a place in a file: within the map or list of path, at a key, or at the value of key. An item of a list is "-" in the path. */
export interface Spot {
  path: string[];
  kind: "key" | "value";
  key: string; // of the value
  word: string; // what has been typed of it
  start: number; // offset of the word
  flow: boolean; // within brackets
}

/** Entry is a key of a file with its value, if that is a scalar. */
export interface Entry {
  path: string[];
  key: string;
  value: string;
  at: number;
}

interface Frame {
  indent: number;
  list: boolean;
  key: string;
}

interface Bracket {
  list: boolean;
  key: string;
  value: boolean; // behind the colon of key
}

/** scan reads a text, and returns the place of its end. It calls found for each key. */
export function scan(text: string, found?: (e: Entry) => void): Spot | undefined {
  const reader = new Reader(text, found);
  return reader.read();
}

/** entries are all keys of a text. */
export function entries(text: string): Entry[] {
  const all: Entry[] = [];
  scan(text.endsWith("\n") ? text : `${text}\n`, (e) => all.push(e));
  return all;
}

const keyOf = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#:"'{}[\],&*!|>%@`-][^#:]*?|-[^\s#:][^#:]*?))\s*:(?=\s|$)/;

class Reader {
  private frames: Frame[] = [];
  private brackets: Bracket[] = [];
  private scalar = -1; // lines with a greater indent belong to a text of several lines

  constructor(private readonly text: string, private readonly found?: (e: Entry) => void) {}

  read(): Spot | undefined {
    let at = 0;
    for (;;) {
      const end = this.text.indexOf("\n", at);
      const last = end < 0;
      const line = this.text.slice(at, last ? undefined : end).replace(/\r$/, "");
      const spot = this.line(line, at, last);
      if (last) return spot;
      at = end + 1;
    }
  }

  private path(): string[] {
    const path = this.frames.map((f) => (f.list ? "-" : f.key));
    for (const b of this.brackets) path.push(b.list ? "-" : b.key);
    return path;
  }

  private line(line: string, at: number, last: boolean): Spot | undefined {
    if (this.brackets.length > 0) return this.flow(line, 0, at, last);
    const indent = /^ */.exec(line)?.[0].length ?? 0;
    if (this.scalar >= 0) {
      if (line.trim() === "" || indent > this.scalar) return undefined;
      this.scalar = -1;
    }
    if (line.trim() === "" && !last) return undefined;
    if (/^\s*#/.test(line) || /^(---|\.\.\.|%)/.test(line)) return undefined;
    let pos = indent;
    let item = false;
    for (;;) {
      const dash = /^-( +|$)/.exec(line.slice(pos));
      if (!dash) break;
      this.leave(pos, true);
      if (!this.top?.list || this.top.indent !== pos) this.frames.push({ indent: pos, list: true, key: "" });
      item = true;
      pos += dash[0].length;
    }
    if (!item || pos < line.length) this.leave(pos, false);
    const rest = line.slice(pos);
    const key = keyOf.exec(rest);
    if (!key) return this.item(line, pos, at, last);
    const name = key[1] ?? key[2] ?? (key[3] ?? "");
    if (!this.top || this.top.list || this.top.indent !== pos) this.frames.push({ indent: pos, list: false, key: name });
    else this.top.key = name;
    return this.value(line, pos + key[0].length, at, last, name, indent);
  }

  /** leave ends the maps and lists that a line at this column is not in. */
  private leave(column: number, list: boolean): void {
    while (this.top && (this.top.indent > column || (this.top.indent === column && this.top.list && !list))) this.frames.pop();
  }

  private get top(): Frame | undefined {
    return this.frames[this.frames.length - 1];
  }

  /** item is an item of a list, or a key that is being typed. */
  private item(line: string, pos: number, at: number, last: boolean): Spot | undefined {
    const opened = /^\s*[[{]/.exec(line.slice(pos));
    if (opened) return this.flow(line, pos, at, last);
    if (!last) return undefined;
    const path = this.frames.map((f) => (f.list ? "-" : f.key));
    const own = this.top && !this.top.list && this.top.indent === pos; // beside the keys of this map
    return { path: own ? path.slice(0, -1) : path, kind: "key", key: "", word: line.slice(pos), start: at + pos, flow: false };
  }

  private value(line: string, from: number, at: number, last: boolean, key: string, indent: number): Spot | undefined {
    const gap = /^\s*(?:[&!]\S+\s+)*/.exec(line.slice(from))?.[0].length ?? 0;
    const pos = from + gap;
    const rest = line.slice(pos);
    if (/^[|>]/.test(rest)) {
      this.scalar = indent;
      return undefined;
    }
    if (/^[[{]/.test(rest)) {
      this.found?.({ path: this.path().slice(0, -1), key, value: "", at: at + pos });
      return this.flow(line, pos, at, last);
    }
    if (!last) {
      this.found?.({ path: this.path().slice(0, -1), key, value: plain(rest), at: at + pos });
      return undefined;
    }
    if (gap === 0 || /(^|\s)#/.test(rest)) return undefined;
    return { path: this.path().slice(0, -1), kind: "value", key, word: rest, start: at + pos, flow: false };
  }

  /** flow reads what is in brackets. */
  private flow(line: string, from: number, at: number, last: boolean): Spot | undefined {
    let word = -1; // where the present word starts
    let quote = "";
    const end = (to: number): void => {
      const b = this.brackets[this.brackets.length - 1];
      if (b && !b.list && b.value && word >= 0) this.found?.({ path: this.path().slice(0, -1), key: b.key, value: plain(line.slice(word, to)), at: at + word });
      word = -1;
    };
    for (let i = from; i < line.length; i++) {
      const c = line.charAt(i);
      const b = this.brackets[this.brackets.length - 1];
      if (quote) {
        if (c === "\\" && quote === '"') i++;
        else if (c === quote) quote = "";
        continue;
      }
      if (c === "#" && (i === 0 || /\s/.test(line.charAt(i - 1)))) return undefined;
      if ((c === '"' || c === "'") && word < 0) {
        quote = c;
        word = i;
      } else if (c === "$" && line.charAt(i + 1) === "{") {
        if (word < 0) word = i;
        const close = line.indexOf("}", i);
        i = close < 0 ? line.length : close;
      } else if (c === "{" || c === "[") {
        if (b && !b.list && b.value) this.found?.({ path: this.path().slice(0, -1), key: b.key, value: "", at: at + i });
        this.brackets.push({ list: c === "[", key: "", value: false });
        word = -1;
      } else if (c === "}" || c === "]") {
        end(i);
        this.brackets.pop();
        if (this.brackets.length === 0) return undefined;
      } else if (c === ",") {
        end(i);
        if (b) Object.assign(b, { key: "", value: false });
      } else if (c === ":" && b && !b.list && !b.value && /^(\s|$)/.test(line.slice(i + 1))) {
        b.key = plain(line.slice(word < 0 ? i : word, i));
        b.value = true;
        word = -1;
      } else if (word < 0 && /\S/.test(c)) word = i;
    }
    if (!last) {
      end(line.length);
      return undefined;
    }
    const b = this.brackets[this.brackets.length - 1];
    if (!b) return undefined;
    const start = word < 0 ? line.length : word;
    const value = !b.list && b.value;
    const path = this.path();
    return { path: b.list ? path : path.slice(0, -1), kind: value ? "value" : "key", key: value ? b.key : "", word: line.slice(start), start: at + start, flow: true };
  }
}

/** plain is a scalar without its quotes and its comment. */
function plain(text: string): string {
  const t = text.trim();
  const quoted = /^"((?:[^"\\]|\\.)*)"|^'((?:[^']|'')*)'/.exec(t);
  if (quoted) return quoted[1] ?? (quoted[2] ?? "").replaceAll("''", "'");
  return t.replace(/(^|\s)#.*$/, "").trim();
}
