// The editor of suite files and properties.

import { acceptCompletion, autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { yaml } from "@codemirror/lang-yaml";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import type { Problem } from "./api";
import { completions, hover, type Context, type Mode } from "./complete";
import { phrases } from "./phrases";
import type { Schema } from "./schema";
import { t } from "./text";

/** Handle is what a page can do with an editor. */
export interface Handle {
  jump: (line: number, column: number) => void;
}

const properties = StreamLanguage.define<{ value: boolean }>({
  name: "properties",
  startState: () => ({ value: false }),
  token: (stream, state) => {
    if (stream.sol()) {
      state.value = false;
      stream.eatSpace();
      if (stream.match(/^[#!].*/)) return "comment";
    }
    if (!state.value) {
      if (stream.match(/^\s*[=:]\s*/)) {
        state.value = true;
        return "operator";
      }
      stream.match(/^[^=:\s]+/) || stream.next();
      return "propertyName";
    }
    stream.skipToEnd();
    return "string";
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.content, tags.attributeValue], color: "var(--ink)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--good)" },
  { tag: [tags.lineComment, tags.comment, tags.meta], color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace, tags.operator], color: "var(--muted)" },
]);

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "0.8125rem", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--ink)", padding: "0.5rem 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--muted)", borderRight: "1px solid var(--line)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 8%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--accent) 18%, transparent)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--accent) 25%, transparent)" },
  ".cm-searchMatch": { backgroundColor: "var(--caution-paper)", outline: "1px solid var(--caution)" },
  ".cm-panels, .cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-panels button, .cm-button": { backgroundImage: "none", backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "6px" },
  ".cm-panel.cm-search": { padding: "0.4rem 1.8rem 0.4rem 0.5rem" },
  ".cm-panel.cm-search :is(input, button, label), .cm-textfield, .cm-button": { fontSize: "0.8125rem" },
  ".cm-textfield": { backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--muted)" },
  ".cm-tooltip": { maxWidth: "min(34rem, 90vw)", fontSize: "0.8125rem", borderRadius: "6px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--paper)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail": { color: "var(--paper)" },
  ".cm-completionDetail": { color: "var(--muted)" },
  ".cm-tooltip.cm-completionInfo": { padding: "0.4rem 0.7rem", width: "22rem" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--panel)", color: "var(--muted)", borderColor: "var(--line)" },
});

/** Editor is a CodeMirror editor. It has its own text: value replaces that when the revision changes, such as by a template that is opened. */
export function Editor({ value, revision, mode, schema, problems, handle, onChange, onSubmit, onFiles }: {
  value: string;
  revision: number;
  mode: Mode;
  schema: Schema | undefined;
  problems: Problem[];
  handle: { current: Handle | null };
  onChange: (text: string) => void;
  onSubmit: () => void;
  onFiles: (files: File[]) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | undefined>(undefined);
  const language = useRef(new Compartment());
  const latest = useRef({ context: { schema, mode } as Context, onChange, onSubmit, onFiles });
  latest.current = { context: { schema, mode }, onChange, onSubmit, onFiles };

  useEffect(() => {
    const context = (): Context => latest.current.context;
    const v = new EditorView({
      parent: box.current as HTMLDivElement,
      state: EditorState.create({
        doc: value,
        extensions: [
          EditorView.cspNonce.of(document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ""),
          lineNumbers(), foldGutter(), lintGutter(), highlightActiveLineGutter(), highlightSpecialChars(), history(), drawSelection(), indentOnInput(),
          bracketMatching(), closeBrackets(), highlightActiveLine(), highlightSelectionMatches(), search({ top: true }),
          autocompletion({ override: [completions(context)], maxRenderedOptions: 60, icons: false }), EditorView.lineWrapping,
          hover(context),
          keymap.of([
            { key: "Mod-Enter", run: () => (latest.current.onSubmit(), true) },
            { key: "Tab", run: acceptCompletion },
            ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, ...lintKeymap, indentWithTab,
          ]),
          EditorState.phrases.of(phrases),
          EditorView.contentAttributes.of({ "aria-label": t("Suite file or properties", "套件文件或属性"), "aria-describedby": "editor-help", spellcheck: "false", tabindex: "0" }),
          EditorView.updateListener.of((u) => {
            if (u.docChanged) latest.current.onChange(u.state.doc.toString());
          }),
          EditorView.domEventHandlers({
            drop: (e) => {
              const files = [...(e.dataTransfer?.files ?? [])];
              if (files.length === 0) return false;
              e.preventDefault();
              e.stopPropagation();
              latest.current.onFiles(files);
              return true;
            },
          }),
          look, syntaxHighlighting(colours), language.current.of(languageOf(mode)),
        ],
      }),
    });
    view.current = v;
    handle.current = {
      jump: (line, column) => {
        const at = v.state.doc.line(Math.min(Math.max(line, 1), v.state.doc.lines));
        v.dispatch({ selection: { anchor: Math.min(at.from + Math.max(column - 1, 0), at.to) }, effects: EditorView.scrollIntoView(at.from, { y: "center" }) });
        v.focus();
      },
    };
    return () => {
      handle.current = null;
      v.destroy();
    };
  }, []);
  useEffect(() => {
    const v = view.current;
    if (v && v.state.doc.toString() !== value) v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: value }, selection: { anchor: 0 } });
  }, [revision]);
  useEffect(() => view.current?.dispatch({ effects: language.current.reconfigure(languageOf(mode)) }), [mode]);
  useEffect(() => {
    const v = view.current;
    if (v) v.dispatch(setDiagnostics(v.state, problems.flatMap((p) => diagnostic(v.state, p) ?? [])));
  }, [problems]);
  return <div class="editor" ref={box} />;
}

function languageOf(mode: Mode): Extension {
  return mode === "suite" ? yaml() : properties;
}

/** diagnostic marks the word at the place of a problem. */
function diagnostic(state: EditorState, p: Problem): Diagnostic | undefined {
  if (!p.line || p.line > state.doc.lines) return undefined;
  const line = state.doc.line(p.line);
  const text = line.text;
  const from = Math.min(p.column ? p.column - 1 : /^\s*/.exec(text)?.[0].length ?? 0, text.length);
  const length = /^[^\s,{}[\]:=]+/.exec(text.slice(from))?.[0].length ?? 1;
  return { from: line.from + from, to: Math.min(line.from + from + length, line.to), severity: "error", message: p.key ? `${p.key}: ${p.message}` : p.message };
}
