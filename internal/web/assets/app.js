// The page: files, models and options on the left, the answer on the right.
import { $, el, toast } from "./dom.js";
import { ravel, Gone } from "./transport.js";
import { createEditor } from "./editor.js";
import { showAnswer, verdict } from "./answer.js";
import { arrows } from "./picture.js";
import { encode, decode } from "./link.js";

const nonce = document.querySelector("meta[name=nonce]").content;
const state = { files: [], active: 0, models: [], options: {}, flags: "" };
let info, examples, run, editor;

const language = (name) => ({ c: "c", h: "header", hpp: "header", hh: "header", inc: "header", cc: "c++", cpp: "c++", cxx: "c++", rs: "rust", java: "java", ll: "llvm", litmus: "litmus", cat: "cat" })[name.split(".").pop()] ?? "c";
const runs = (f) => info.tools[language(f.name)] !== false; // without a compiler, sources are there to be read
const main = () => state.files.find((f) => language(f.name) !== "cat" && language(f.name) !== "header") ?? state.files[0];
const isLitmus = () => language(main().name) === "litmus";
const isJava = () => isLitmus() && /^Java\b/.test(main().text.trimStart());

// kind is what a run of the current files is.
function kind() {
  if (!isLitmus()) return "check";
  if (state.models.length > 1) return "compare";
  const m = info.models.find((m) => m.name === state.models[0]);
  return m && !m.engines.includes("litmus") && m.engines.includes("jmm") ? "jmm" : "litmus";
}

// ---- files ----

function drawTabs() {
  const tabs = $("tabs");
  tabs.replaceChildren();
  state.files.forEach((f, i) => {
    tabs.append(el("button", { role: "tab", id: "tab" + i, "aria-selected": String(i === state.active), "aria-controls": "editor", tabindex: i === state.active ? 0 : -1, onclick: () => openFile(i) }, f.name));
    if (i === state.active && f !== main()) tabs.append(el("button.close", { title: "Remove " + f.name, "aria-label": "Remove " + f.name, onclick: () => removeFile(i) }, "×"));
  });
  if (!isLitmus()) tabs.append(el("button.add", { id: "add-file", title: "Add a header or another source to the program", onclick: askFile }, "+ file"));
  if (!state.files.some((f) => language(f.name) === "cat")) tabs.append(el("button.add", { id: "add-model", title: "Edit the memory model beside the program", onclick: addModel }, "+ model in cat"));
}
arrows($("tabs"));

function openFile(i) {
  state.active = i;
  const f = state.files[i];
  editor.open(f.text, language(f.name), !runs(f) && state.files.some(runs));
  drawTabs();
  remark();
}

// askFile asks for the name of a file to add.
function askFile() {
  const extension = { rust: "rs", java: "java", llvm: "ll" }[language(main().name)] ?? "h";
  const input = el("input", { type: "text", id: "new-file", "aria-label": "Name of the file", placeholder: "name." + extension, spellcheck: "false", autocomplete: "off" });
  input.addEventListener("keydown", (e) => {
    e.stopPropagation(); // arrows move in the name, not between tabs
    if (e.key === "Enter") addFile(input.value.trim());
    else if (e.key === "Escape") drawTabs();
    else return;
    e.preventDefault();
  });
  input.addEventListener("blur", () => input.isConnected && !input.value && drawTabs());
  $("add-file").replaceWith(input);
  input.focus();
}

// addFile adds an empty file, which the program may include, or which is linked with it.
function addFile(name) {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_+-]*(\/[A-Za-z0-9_][A-Za-z0-9_+-]*)*\.(c|h|hpp|hh|inc|cc|cpp|cxx|rs|java|ll|cat)$/.test(name)) return toast("A name such as list.h, list.c, list.hpp, list.cpp, list.rs, List.java or list.ll");
  if (fileOf(name) >= 0) return toast(`There is a file ${name} already.`);
  state.files.push({ name, text: "" });
  edited();
  drawModels();
  openFile(state.files.length - 1);
  editor.go(1, 1);
}

function removeFile(i) {
  state.files.splice(i, 1);
  edited();
  drawModels();
  openFile(0);
}

// edited tells that the files are no longer those of an example.
function edited() {
  if (!$("example").value) return;
  $("example").value = "";
  $("about").hidden = true;
  history.replaceState(null, "", location.pathname);
}

// addModel opens the chosen model as a file that can be changed.
async function addModel() {
  const engine = isLitmus() ? "litmus" : "graphs";
  const base = state.models[0] ?? (isLitmus() ? info.models.find((m) => m.default?.includes(dialect()))?.name : "rc11") ?? "rc11";
  let text;
  try {
    text = await ravel.model(base);
  } catch {
    text = `"my model"\ninclude "cos.cat"\n\nacyclic po | rf | co | fr as sc\n`;
  }
  const name = engine && `my-${base}.cat`;
  state.files.push({ name, text });
  state.models = [name];
  drawModels();
  openFile(state.files.length - 1);
}

const dialect = () => main().text.trimStart().split(/\s/)[0];

function load(files, models, options = {}, flags = "") {
  Object.assign(state, { files: structuredClone(files), models: [...models], options: { ...options }, flags, active: 0 });
  marks = [];
  openFile(0);
  drawModels();
  drawOptions();
}

// ---- models ----

function choices() {
  const engines = isLitmus() ? ["litmus", "jmm"] : ["graphs"];
  const list = info.models.filter((m) => m.engines.some((e) => engines.includes(e)) && (!isLitmus() || isJava() || m.engines.includes("litmus")));
  return list.map((m) => ({ name: m.name, title: m.title, group: group(m) }));
}

const group = (m) => (m.language ? ({ C: "C, C++ and Rust", "the Linux kernel's C": "Linux kernel" }[m.language] ?? m.language) : m.processors?.length ? "Processors" : "Everywhere");

function drawModels() {
  const box = $("models-box");
  const own = state.files.filter((f) => language(f.name) === "cat").map((f) => ({ name: f.name, title: "the model on the left", group: "Yours" }));
  const all = [...own, ...choices()];
  state.models = state.models.filter((m) => all.some((c) => c.name === m));
  box.replaceChildren(el("p", {}, isLitmus() ? "One model shows all outcomes. Several are compared." : "Several models are checked one after the other."));
  for (const g of new Set(all.map((c) => c.group))) {
    box.append(el("h2", {}, g));
    for (const c of all.filter((c) => c.group === g)) {
      const input = el("input", { type: "checkbox", value: c.name, checked: state.models.includes(c.name) });
      input.addEventListener("change", () => {
        state.models = input.checked ? [...state.models, c.name] : state.models.filter((m) => m !== c.name);
        drawChosen();
      });
      box.append(el("label.choice", {}, input, el("span", {}, c.name, el("small", {}, c.title))));
    }
  }
  drawChosen();
}

function drawChosen() {
  $("models-text").textContent = state.models.join(", ") || (isLitmus() ? "default" : "rc11");
  $("find").hidden = !(isLitmus() && state.models.length > 1);
}

// ---- options ----

const optionList = [
  ["suggest", "Suggest memory orders", "which are missing, or stronger than needed"],
  ["keepGoing", "Find every error", "not only the first"],
  ["noRaces", "Allow data races", ""],
  ["overflow", "Signed overflow is an error", ""],
  ["leaks", "Leaks are errors", ""],
  ["liveness", "Endless waiting is an error", ""],
];

function drawOptions() {
  const box = $("options-box");
  box.replaceChildren();
  for (const [id, text, more] of optionList) {
    const input = el("input", { type: "checkbox", id: "o-" + id, checked: !!state.options[id] });
    input.addEventListener("change", () => (state.options[id] = input.checked));
    box.append(el("label.choice", {}, input, el("span", {}, text, more ? el("small", {}, more) : null)));
  }
  const unroll = el("input", { type: "number", min: 0, max: 1000, value: state.options.unroll ?? 0, id: "o-unroll" });
  unroll.addEventListener("change", () => (state.options.unroll = Number(unroll.value)));
  const flags = el("input", { type: "text", value: state.flags, placeholder: "-DN=2 -O1", id: "o-flags" });
  flags.addEventListener("change", () => (state.flags = flags.value));
  box.append(el("label.field", {}, "Bound of loops, 0 is none", unroll), el("label.field", {}, "Compiler flags", flags));
}

// ---- running ----

async function start(what = kind()) {
  if (run) return stop();
  const request = {
    kind: what,
    files: state.files.filter((f) => (what === "find" ? language(f.name) === "cat" : runs(f))),
    models: state.models,
    flags: what === "check" ? state.flags.split(/\s+/).filter(Boolean) : [],
    ...state.options,
  };
  run = new AbortController();
  const begin = performance.now();
  const clock = setInterval(() => status(begin), 100);
  $("run").textContent = "Stop";
  $("run").dataset.running = "";
  $("right").setAttribute("aria-busy", "true");
  progress = null;
  status(begin);
  try {
    await ravel.run(request, {
      signal: run.signal,
      onMessage(m) {
        if (m.progress || m.queued) progress = m;
        if (m.problem) showProblem(m.problem);
        if (m.answer) {
          marks = [];
          showAnswer($("answer"), m.answer, page);
          performance.measure("ravel-answer", { start: begin });
          finished = `${label(what)} in ${seconds((performance.now() - begin) / 1000)}`;
        }
      },
    });
  } catch (e) {
    if (e.name === "AbortError") {
      finished = "Stopped";
      $("answer").replaceChildren(verdict("open", "Stopped", "The run was ended before it had an answer."));
    } else if (e instanceof Gone) {
      finished = "No connection";
      const box = verdict("open", "The server is gone", e.message + " Start ravel serve again; the program on the left is kept.");
      box.append(el("button.small", { id: "retry", onclick: () => start(what) }, "Try again"));
      $("answer").replaceChildren(box);
    } else {
      finished = "Not run";
      showProblem({ message: e.message });
    }
  } finally {
    clearInterval(clock);
    run = null;
    $("run").textContent = "Run";
    delete $("run").dataset.running;
    $("right").removeAttribute("aria-busy");
    $("status").replaceChildren(finished);
  }
}

let progress = null;
let finished = "";
const stop = () => run?.abort();
const label = (what) => ({ check: "Checked", litmus: "All executions", compare: "Compared", find: "Searched", jmm: "Justified" })[what];
const seconds = (s) => (s < 1 ? `${Math.round(s * 1000)} ms` : `${s.toFixed(1)} s`);

function status(begin) {
  const s = (performance.now() - begin) / 1000;
  const parts = [el("progress", { "aria-label": "Running" })];
  if (progress?.queued) parts.push(`Waiting, ${progress.queued} before this`);
  else if (progress?.progress) {
    const p = progress.progress;
    if (p.total > p.done) parts[0] = el("progress", { max: p.total, value: p.done, "aria-label": "Running" });
    parts.push(`${p.model ? p.model + ": " : ""}${p.done.toLocaleString("en")} ${p.noun}s`);
  } else parts.push("Running");
  parts.push(`${s.toFixed(1)} s`);
  $("status").replaceChildren(...parts.map((x) => (typeof x === "string" ? el("span", {}, x) : x)));
}

function showProblem(p) {
  const first = p.places?.[0];
  const box = verdict("bad", first ? "There is an error in the source" : "This can't be run", first ? first.message : "");
  const parts = [box];
  if (first) box.append(el("button.place", { onclick: () => page.go(first.location) }, `${first.location.file}:${first.location.line}`));
  parts.push(el("pre", { tabindex: 0 }, p.message));
  $("answer").replaceChildren(...parts);
  finished = "Not run";
  page.mark(p.places ?? []);
}

// ---- what the answer may do with the editor ----

let marks = [];
function remark() {
  const here = state.files[state.active].name;
  editor.mark(marks.filter((m) => m.location.file === here).map((m) => ({ line: m.location.line, column: m.location.column, message: m.message, severity: m.severity })));
}

const fileOf = (name) => state.files.findIndex((f) => f.name === name);

const page = {
  mark(list) {
    marks = list;
    editor.show(0, false);
    remark();
  },
  show(row) {
    const i = row ? fileOf(row.location.file) : -1;
    if (i >= 0 && i !== state.active) openFile(i);
    editor.show(i >= 0 ? row.location.line : 0, i >= 0);
  },
  go(location) {
    const i = fileOf(location.file);
    if (i < 0) return;
    if (i !== state.active) openFile(i);
    editor.go(location.line, location.column);
  },
  apply(edits) {
    // From the end of a line to its beginning, so that places stay right.
    for (const e of [...edits].sort((a, b) => b.line - a.line || b.column - a.column)) {
      const i = fileOf(e.file);
      if (i < 0) continue;
      if (i !== state.active) openFile(i);
      editor.replace(e.line, e.column, e.end, e.text);
    }
    toast(edits.length === 1 ? "Changed. Run again to see." : `${edits.length} changes. Run again to see.`);
  },
  open(file) {
    load([file, ...state.files.filter((f) => language(f.name) === "cat")], state.models, state.options);
    start();
  },
};

// ---- examples, links, themes ----

function drawExamples() {
  const pick = $("example");
  pick.append(el("option", { value: "", hidden: true }, "Your program"));
  for (const topic of new Set(examples.map((e) => e.topic))) {
    const g = el("optgroup", { label: topic });
    for (const e of examples.filter((e) => e.topic === topic)) {
      const there = e.href || e.files.some((f) => runs(f) && language(f.name) !== "header");
      g.append(el("option", { value: e.id, disabled: !there }, `${e.title} · ${e.language}`));
    }
    pick.append(g);
  }
  pick.addEventListener("change", () => openExample(pick.value, true));
}

async function openExample(id, andRun) {
  const e = examples.find((x) => x.id === id) ?? examples[0];
  e.files ??= await fetch(e.href).then((r) => r.json());
  $("example").value = e.id;
  load(e.files, e.models ?? [], e.options ?? {}, e.flags ?? "");
  $("about").hidden = false;
  const compiled = e.files.every(runs) ? "" : " Compiled when this page was made: the LLVM IR can be changed here, the source with ravel serve.";
  $("about").replaceChildren(el("b", {}, e.title + ". "), e.about + compiled);
  history.replaceState(null, "", "#example=" + e.id);
  if (andRun) start();
  else welcome();
}

function welcome() {
  const list = el("ul");
  for (const e of examples.filter((e) => e.start)) {
    if (!e.href && !e.files.some(runs)) continue;
    list.append(el("li", {}, el("button", { "data-start": e.id, onclick: () => openExample(e.id, true) }, el("b", {}, `${e.title} · ${e.language}`), el("span", {}, e.start))));
  }
  $("answer").replaceChildren(
    el("div.welcome", {}, el("h2", {}, "See every execution that a memory model allows"), el("p", {}, "Write a concurrent program or a litmus test on the left and press Run, or ", el("kbd", {}, "Ctrl"), " ", el("kbd", {}, "Enter"), ". Or start here:"), list),
  );
  $("status").textContent = `ravel ${info.version}`;
}

async function share() {
  const text = await encode({ files: state.files, models: state.models, options: state.options, flags: state.flags });
  history.replaceState(null, "", "#" + text);
  try {
    await navigator.clipboard.writeText(location.href);
    toast("The link is copied. It holds the program.");
  } catch {
    toast("The link is in the address bar. It holds the program.");
  }
}

async function openHash() {
  const hash = location.hash.slice(1);
  if (hash.startsWith("example=")) return openExample(hash.slice(8), false);
  if (hash) {
    try {
      const s = await decode(hash);
      load(s.files, s.models, s.options, s.flags);
      $("example").value = "";
      $("about").hidden = true;
      return welcome();
    } catch {
      toast("This link is broken.");
    }
  }
  await openExample(examples[0].id, false);
}

const themes = ["system", "light", "dark"];
const dark = matchMedia("(prefers-color-scheme: dark)");
function setTheme(name) {
  try {
    localStorage.setItem("ravel-theme", name);
  } catch {} // nothing is kept then
  document.documentElement.dataset.choice = name;
  document.documentElement.dataset.theme = name === "system" ? (dark.matches ? "dark" : "light") : name;
  $("theme").setAttribute("aria-label", `Colours: ${name === "system" ? "as the system" : name}`);
  $("theme").title = $("theme").getAttribute("aria-label");
}
dark.addEventListener("change", () => setTheme(document.documentElement.dataset.choice));

function popover(button, box) {
  const close = () => {
    box.hidden = true;
    button.setAttribute("aria-expanded", "false");
  };
  button.addEventListener("click", () => {
    box.hidden = !box.hidden;
    button.setAttribute("aria-expanded", String(!box.hidden));
    if (!box.hidden) box.querySelector("input")?.focus();
  });
  document.addEventListener("pointerdown", (e) => !box.contains(e.target) && !button.contains(e.target) && close());
  box.addEventListener("keydown", (e) => {
    if (e.key !== "Escape") return;
    close();
    button.focus();
  });
}

function splitter() {
  const bar = $("split");
  const set = (percent) => {
    const p = Math.max(20, Math.min(80, percent));
    $("left").style.setProperty("--left", p + "%");
    bar.setAttribute("aria-valuenow", Math.round(p));
  };
  bar.addEventListener("pointerdown", (e) => {
    bar.setPointerCapture(e.pointerId);
    const move = (e) => set((100 * e.clientX) / innerWidth);
    bar.addEventListener("pointermove", move);
    bar.addEventListener("lostpointercapture", () => bar.removeEventListener("pointermove", move), { once: true });
  });
  bar.addEventListener("keydown", (e) => {
    const by = { ArrowLeft: -3, ArrowRight: 3 }[e.key];
    if (by) set(Number(bar.getAttribute("aria-valuenow")) + by);
  });
}

async function begin() {
  let theme = "system";
  try {
    theme = localStorage.getItem("ravel-theme") ?? theme;
  } catch {} // not allowed to look
  setTheme(themes.includes(theme) ? theme : "system");
  editor = createEditor({
    parent: $("editor"),
    nonce,
    label: "Source",
    onChange(text) {
      state.files[state.active].text = text;
      edited();
    },
    onRun: () => !run && start(),
  });
  popover($("models"), $("models-box"));
  popover($("options"), $("options-box"));
  splitter();
  $("run").addEventListener("click", () => start());
  $("find").addEventListener("click", () => start("find"));
  $("share").addEventListener("click", share);
  $("theme").addEventListener("click", () => setTheme(themes[(themes.indexOf(document.documentElement.dataset.choice) + 1) % themes.length]));
  addEventListener("hashchange", openHash);
  addEventListener("keydown", (e) => {
    if (e.key === "Escape" && run) stop();
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && !run && !e.defaultPrevented) start();
  });
  try {
    [info, examples] = await Promise.all([ravel.info(), fetch("examples.json").then((r) => r.json())]);
  } catch (e) {
    const box = verdict("open", "ravel does not answer", e.message);
    box.append(el("button.small", { onclick: () => location.reload() }, "Load again"));
    $("answer").replaceChildren(box);
    return;
  }
  drawExamples();
  await openHash();
  document.documentElement.dataset.ready = "";
}

begin();
