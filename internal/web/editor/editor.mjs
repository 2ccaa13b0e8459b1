// The editor of the page: CodeMirror 6 with the languages that ravel reads. It is bundled into assets/editor.js by scripts/editor.
import { EditorState, Compartment, StateEffect, StateField } from "@codemirror/state";
import {
  EditorView, Decoration, keymap, lineNumbers, highlightActiveLine, highlightActiveLineGutter, drawSelection, highlightSpecialChars,
} from "@codemirror/view";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { syntaxHighlighting, HighlightStyle, bracketMatching, indentOnInput, StreamLanguage, indentUnit } from "@codemirror/language";
import { search, searchKeymap, highlightSelectionMatches } from "@codemirror/search";
import { setDiagnostics, lintGutter, lintKeymap } from "@codemirror/lint";
import { cpp } from "@codemirror/lang-cpp";
import { rust } from "@codemirror/lang-rust";
import { java } from "@codemirror/lang-java";
import { tags as t } from "@lezer/highlight";

// A stream language from word lists: enough for litmus tests, cat and LLVM IR.
function words({ keywords, types, comment, nested, number, name }) {
  return StreamLanguage.define({
    startState: () => ({ depth: 0 }),
    token(s, state) {
      if (state.depth > 0) return inComment(s, state);
      if (s.eatSpace()) return null;
      if (nested && s.match("(*")) {
        state.depth = 1;
        return inComment(s, state);
      }
      if (comment && s.match(comment)) {
        s.skipToEnd();
        return "comment";
      }
      if (s.match(/"(?:[^"\\]|\\.)*"?/)) return "string";
      if (s.match(number ?? /-?\b(0x[0-9a-fA-F]+|\d+)\b/)) return "number";
      const m = s.match(name ?? /[@%!#]?[A-Za-z_][\w.-]*/);
      if (m) {
        const w = m[0];
        if (keywords.has(w)) return "keyword";
        if (types?.has(w)) return "typeName";
        return /^[@%]/.test(w) ? "variableName" : null;
      }
      if (s.match(/[|&;+*^~\\\-=<>!]+/)) return "operator";
      s.next();
      return null;
    },
    languageData: { commentTokens: nested ? { block: { open: "(*", close: "*)" } } : { line: ";" } },
  });
}

function inComment(s, state) {
  while (!s.eol() && state.depth > 0) {
    if (s.match("(*")) state.depth++;
    else if (s.match("*)")) state.depth--;
    else s.next();
  }
  return "comment";
}

const set = (text) => new Set(text.split(" "));

const litmus = words({
  nested: true,
  keywords: set("exists forall locations filter required forbidden final AArch64 ARM PPC X86 X86_64 RISCV MIPS BPF C Java LISA if else while not P0 P1 P2 P3 P4"),
  types: set(
    "int atomic_int memory_order_relaxed memory_order_acquire memory_order_release memory_order_acq_rel memory_order_seq_cst " +
      "STR LDR STLR LDAR LDAPR LDXR STXR DMB DSB ISB MOV EOR ADD CBZ CBNZ lwsync sync isync stw lwz mfence MFENCE sw lw fence movl " +
      "WRITE_ONCE READ_ONCE smp_mb smp_wmb smp_rmb smp_store_release smp_load_acquire rcu_read_lock rcu_read_unlock synchronize_rcu",
  ),
});
const cat = words({
  nested: true,
  keywords: set("let rec and include acyclic irreflexive empty as flag show unshow with from in fun procedure call enum instructions if then else match end undefined_unless forall do"),
  types: set("po rf co fr rfe rfi coe coi fre fri loc int ext id rmw addr data ctrl amo lxsx W R M F IW FW A L Acq Rel RLX ACQ REL SC _"),
});
const llvm = words({
  comment: /;.*/,
  keywords: set(
    "define declare global constant private internal load store atomic cmpxchg atomicrmw fence br ret call icmp add sub mul and or xor switch phi alloca getelementptr monotonic acquire release acq_rel seq_cst label to",
  ),
  types: set("void i1 i8 i16 i32 i64 ptr"),
});

const languages = { c: cpp, "c++": cpp, header: cpp, rust, java, litmus: () => litmus, cat: () => cat, llvm: () => llvm };

// Colours are those of the page (style.css), so that themes need nothing here.
const colours = HighlightStyle.define([
  { tag: [t.keyword, t.controlKeyword, t.modifier, t.operatorKeyword, t.definitionKeyword], class: "tok-keyword" },
  { tag: [t.string, t.character, t.special(t.string)], class: "tok-string" },
  { tag: [t.comment, t.lineComment, t.blockComment], class: "tok-comment" },
  { tag: [t.number, t.bool, t.null, t.literal], class: "tok-number" },
  { tag: [t.typeName, t.className, t.standard(t.name)], class: "tok-type" },
  { tag: [t.processingInstruction, t.meta, t.macroName], class: "tok-meta" },
  { tag: [t.function(t.variableName), t.function(t.definition(t.variableName))], class: "tok-function" },
  { tag: [t.operator, t.punctuation], class: "tok-operator" },
]);

// The line of the event that the page shows, and lines that an error is about.
const showLine = StateEffect.define();
const shownLine = StateField.define({
  create: () => Decoration.none,
  update(marks, tr) {
    marks = marks.map(tr.changes);
    for (const e of tr.effects) {
      if (e.is(showLine)) {
        marks = e.value > 0 && e.value <= tr.state.doc.lines ? Decoration.set([Decoration.line({ class: "cm-now" }).range(tr.state.doc.line(e.value).from)]) : Decoration.none;
      }
    }
    return marks;
  },
  provide: (f) => EditorView.decorations.from(f),
});

export function createEditor({ parent, nonce, label, onChange, onRun }) {
  const language = new Compartment();
  const state = (doc, lang, readOnly) =>
    EditorState.create({
      doc,
      extensions: [
        nonce ? EditorView.cspNonce.of(nonce) : [],
        EditorState.readOnly.of(!!readOnly),
        lineNumbers(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        indentOnInput(),
        indentUnit.of("    "),
        bracketMatching(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        search({ top: true }),
        lintGutter(),
        shownLine,
        syntaxHighlighting(colours),
        language.of(languages[lang]?.() ?? []),
        // Tab moves the focus, as everywhere on the page; Ctrl-Enter runs.
        keymap.of([{ key: "Mod-Enter", run: () => (onRun(), true) }, ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off", "data-gramm": "false" }),
        EditorView.updateListener.of((u) => u.docChanged && onChange(u.state.doc.toString())),
      ],
    });
  const view = new EditorView({ state: state("", "c"), parent });
  return {
    open(doc, lang, readOnly) {
      view.setState(state(doc, lang, readOnly));
    },
    text: () => view.state.doc.toString(),
    focus: () => view.focus(),
    // mark shows messages: [{line, column, message, severity}], columns count bytes of UTF-8.
    mark(list) {
      const doc = view.state.doc;
      const found = [];
      for (const m of list) {
        if (m.line < 1 || m.line > doc.lines) continue;
        const line = doc.line(m.line);
        const from = m.column > 0 ? line.from + characters(line.text, m.column - 1) : line.from + (line.text.length - line.text.trimStart().length);
        const rest = line.text.slice(from - line.from);
        const length = m.column > 0 ? (rest.match(/^\w+(\([^()]*\))?|^[^\s\w]+/)?.[0].length ?? 1) : rest.length;
        found.push({ from: Math.min(from, line.to), to: Math.min(from + Math.max(length, 1), line.to), severity: m.severity, message: m.message });
      }
      view.dispatch(setDiagnostics(view.state, found));
    },
    show(line, scroll = true) {
      const effects = [showLine.of(line)];
      if (scroll && line > 0 && line <= view.state.doc.lines) effects.push(EditorView.scrollIntoView(view.state.doc.line(line).from, { y: "center" }));
      view.dispatch({ effects });
    },
    go(line, column) {
      if (line < 1 || line > view.state.doc.lines) return;
      const l = view.state.doc.line(line);
      view.dispatch({ selection: { anchor: Math.min(l.to, l.from + characters(l.text, Math.max(0, column - 1))) }, scrollIntoView: true });
      view.focus();
    },
    replace(line, column, end, text) {
      const l = view.state.doc.line(line);
      view.dispatch({ changes: { from: l.from + characters(l.text, column - 1), to: l.from + characters(l.text, end - 1), insert: text }, userEvent: "input.suggest" });
    },
  };
}

// characters returns how many UTF-16 units the first bytes of a line are.
function characters(text, bytes) {
  let n = 0;
  let i = 0;
  for (const ch of text) {
    if (n >= bytes) break;
    const c = ch.codePointAt(0);
    n += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    i += ch.length;
  }
  return i;
}
