// Shows an execution: as a graph, as columns, and as text; step by step, relation by relation.
import { el, icon } from "./dom.js";

const dashes = { rf: "M0 3h22", co: "M0 3h9m3 0h2m3 0h5", fr: "M0 3h6m3 0h6m3 0h4", po: "M0 3h22" };
const colour = (name) => (["rf", "co", "fr", "cycle"].includes(name) ? `var(--rv-${name})` : name === "po" ? "var(--soft)" : "var(--rv-other)");

const above = 36; // the title in the drawing, which the page has elsewhere

// A Picture is one execution. onRow is called with the row that is looked at, or null.
export class Picture {
  constructor(data, { text, unfolded, onRow }) {
    Object.assign(this, { folded: data, unfolded, text, onRow });
    this.view = "graph";
    this.hidden = null; // names of relations
    this.zoom = 0; // 0: as wide as the place for it
    this.element = el("div.picture", { role: "region", "aria-label": "Execution" });
    this.use(data);
  }

  // use shows the folded or the unfolded drawing.
  use(data) {
    this.data = data;
    this.step = 0; // 0: all
    this.at = 0;
    const names = data.relations.map((r) => r.name);
    this.hidden ??= new Set(names.filter((n) => !["po", "rf", "co", "fr"].includes(n)));
    this.bar = el("div.bar", { role: "toolbar", "aria-label": "Execution" });
    this.stage = el("div.stage", { tabindex: -1 });
    this.why = el("div.why", { role: "status", "aria-live": "polite" });
    this.element.replaceChildren(this.bar, this.stage, this.why);
    this.fillBar();
    this.draw();
  }

  fillBar() {
    const views = el("div.group.views", { role: "tablist", "aria-label": "View" });
    for (const [id, name] of [["graph", "Graph"], ["columns", "Columns"], ...(this.text ? [["text", "Text"]] : [])]) {
      views.append(el("button", { role: "tab", "data-view": id, "aria-selected": String(this.view === id), onclick: () => this.setView(id) }, name));
    }
    arrows(views);
    this.count = el("output", { "aria-label": "Step" });
    const steps = el(
      "div.group.steps",
      { role: "group", "aria-label": "Step" },
      el("button", { title: "First step", "aria-label": "First step", onclick: () => this.go(1) }, sign("M1 1h2v10H1zM11 1v10L4 6z")),
      el("button", { title: "Step back (←)", "aria-label": "Step back", "data-step": "back", onclick: () => this.go(Math.max(1, (this.step || this.data.rows.length + 1) - 1)) }, sign("M9 1v10L2 6z")),
      this.count,
      el("button", { title: "Step (→)", "aria-label": "Step", "data-step": "next", onclick: () => this.go(this.step + 1) }, sign("M3 1v10l7-5z")),
      el("button", { title: "Whole execution", "aria-label": "Whole execution", onclick: () => this.go(0) }, "All"),
    );
    this.bar.append(views, steps);
    if (this.view === "graph") {
      const relations = el("div.group", { role: "group", "aria-label": "Relations" });
      for (const r of this.data.relations) relations.append(this.relationButton(r.name, r.long, r.edges));
      const zoom = el(
        "div.group",
        { role: "group", "aria-label": "Zoom" },
        el("button", { "aria-label": "Smaller", title: "Smaller", onclick: () => this.setZoom(this.scale() / 1.25) }, "−"),
        el("button", { title: "As wide as the page", onclick: () => this.setZoom(0) }, "Fit"),
        el("button", { "aria-label": "Larger", title: "Larger", onclick: () => this.setZoom(this.scale() * 1.25) }, "+"),
      );
      this.bar.append(relations, zoom);
    }
    if (this.unfolded) {
      const open = this.data === this.unfolded;
      this.bar.append(el("button", { "aria-pressed": String(open), "data-fold": true, onclick: () => this.use(open ? this.folded : this.unfolded) }, open ? "Fold" : "Unfold"));
    }
    if (this.data.rows.length > 8 && this.view !== "text") {
      this.bar.append(el("input", { type: "search", placeholder: "Search events", "aria-label": "Search events", oninput: (e) => this.search(e.target.value), onkeydown: (e) => e.key === "Enter" && this.nextFound() }));
    }
  }

  relationButton(name, long, edges) {
    const sample = icon(dashes[name] ?? "M0 3h2m3 0h2m3 0h2m3 0h2m3 0h2", 22);
    sample.setAttribute("viewBox", "0 0 22 6");
    sample.firstChild.setAttribute("stroke", colour(name));
    sample.firstChild.setAttribute("stroke-width", "2");
    const b = el("button.rel", { "data-rel": name, "aria-pressed": String(!this.hidden.has(name)), title: `${name}: ${long} (${edges})` }, sample, name);
    b.addEventListener("click", () => {
      this.hidden.has(name) ? this.hidden.delete(name) : this.hidden.add(name);
      b.setAttribute("aria-pressed", String(!this.hidden.has(name)));
      this.dress();
    });
    return b;
  }

  setView(view) {
    this.view = view;
    this.bar.replaceChildren();
    this.fillBar();
    this.draw();
    this.bar.querySelector('[role="tab"][aria-selected="true"]').focus();
  }

  draw() {
    this.svg = null;
    this.stage.onscroll = null;
    if (this.view === "text") this.stage.replaceChildren(el("pre", { tabindex: 0 }, this.text));
    else if (this.view === "columns") this.drawColumns();
    else this.drawGraph();
    this.dress();
  }

  drawGraph() {
    // The drawing is ravel's own, with all text escaped; the policy of the page forbids scripts in it.
    const doc = new DOMParser().parseFromString(this.data.svg, "image/svg+xml");
    this.svg = document.importNode(doc.documentElement, true);
    this.width = Number(this.svg.getAttribute("width"));
    this.height = Number(this.svg.getAttribute("height")) - above;
    this.svg.setAttribute("viewBox", `0 ${above} ${this.width} ${this.height}`);
    this.stage.replaceChildren(this.svg);
    const heads = this.svg.querySelector(".rv-heads");
    this.stage.onscroll = () => heads.setAttribute("transform", `translate(0 ${Math.max(0, this.stage.scrollTop / this.scale() - 12)})`);
    this.boxes = new Map();
    for (const g of this.svg.querySelectorAll(".rv-event")) {
      const row = Number(g.dataset.row);
      const r = this.data.rows[row - 1];
      this.boxes.set(row, g);
      g.setAttribute("role", "button");
      g.setAttribute("tabindex", row === 1 ? "0" : "-1");
      g.setAttribute("aria-label", `${this.data.threads[r.thread]}, event ${row} of ${this.data.rows.length}: ${r.text} ${r.origin ?? ""} ${r.mark ?? ""}`);
      g.addEventListener("click", () => this.look(row));
      g.addEventListener("focus", () => this.tell(row));
      g.addEventListener("keydown", (e) => this.key(e, row));
    }
    for (const g of this.svg.querySelectorAll("g.rv-edge")) {
      g.addEventListener("pointerenter", () => (this.why.textContent = g.querySelector("title").textContent));
      g.addEventListener("pointerleave", () => this.tell(this.at));
    }
    this.applyZoom();
  }

  drawColumns() {
    const head = el("tr", {}, el("th", { scope: "col" }, "#"), ...this.data.threads.map((t) => el("th", { scope: "col" }, t)));
    const body = el("tbody");
    for (const r of this.data.rows) {
      const cells = this.data.threads.map((_, i) => {
        if (i !== r.thread) return el("td");
        return el("td" + (r.class ? "." + r.class : ""), {}, r.location.line ? el("i", {}, String(r.location.line)) : null, r.text, r.origin ? el("small", {}, r.origin) : null, r.mark ? el("small", {}, "◀ " + r.mark) : null);
      });
      body.append(el("tr", { "data-row": r.row, tabindex: r.row === 1 ? 0 : -1, onclick: () => this.look(r.row), onfocus: () => this.tell(r.row), onkeydown: (e) => this.key(e, r.row) }, el("td", {}, String(r.row)), ...cells));
    }
    this.stage.replaceChildren(el("table.columns", {}, el("thead", {}, head), body));
  }

  // key moves between events: up and down in a thread, left and right step through the execution.
  key(e, row) {
    const rows = this.data.rows;
    const here = rows[row - 1];
    const inThread = rows.filter((r) => this.view === "columns" || r.thread === here.thread).map((r) => r.row);
    const i = inThread.indexOf(row);
    const to = { ArrowDown: inThread[i + 1], ArrowUp: inThread[i - 1], Home: 1, End: rows.length }[e.key];
    if (to) this.focus(to);
    else if (e.key === "ArrowRight") this.go(Math.min(rows.length, (this.step || row) + 1), true);
    else if (e.key === "ArrowLeft") this.go(Math.max(1, (this.step || row) - 1), true);
    else if (e.key === "Enter" || e.key === " ") this.look(row);
    else if (e.key === "Escape") this.go(0);
    else return;
    e.preventDefault();
  }

  elementOf(row) {
    return this.view === "graph" ? this.boxes?.get(row) : this.stage.querySelector(`tr[data-row="${row}"]`);
  }

  focus(row) {
    const e = this.elementOf(row);
    if (!e) return;
    this.stage.querySelectorAll('[tabindex="0"]').forEach((x) => x.setAttribute("tabindex", "-1"));
    e.setAttribute("tabindex", "0");
    e.focus();
    e.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // go shows the execution up to a step, 0 is all of it.
  go(step, focus) {
    this.step = Math.min(step, this.data.rows.length);
    this.at = this.step;
    this.dress();
    this.tell(this.step);
    if (this.step) {
      if (focus) this.focus(this.step);
      else this.elementOf(this.step)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    this.onRow(this.data.rows[this.step - 1] ?? null);
  }

  // look points at one event.
  look(row) {
    this.at = row;
    if (this.step) this.step = row;
    this.dress();
    this.tell(row);
    this.onRow(this.data.rows[row - 1]);
  }

  // tell says in words what an event does and which edges it has.
  tell(row) {
    const r = this.data.rows[row - 1];
    if (!r) {
      this.why.textContent = this.data.cycle ? `Forbidden: the thick edges are the cycle that ${this.data.cycle} forbids.` : "Hover or focus an event or an edge to see why it is there. ← → step.";
      return;
    }
    const edges = [...(this.svg?.querySelectorAll("g.rv-edge[data-rel]") ?? [])].filter((g) => !g.classList.contains("off") && (g.dataset.from == row || g.dataset.to == row));
    const place = r.location.line ? ` (${r.location.file}:${r.location.line})` : "";
    this.why.textContent = [`${this.data.threads[r.thread]}${place}: ${r.text} ${r.origin ?? ""} ${r.mark ?? ""}`.trim(), ...edges.slice(0, 4).map((g) => g.querySelector("title").textContent)].join(" · ");
  }

  // dress sets what is hidden, dim and marked.
  dress() {
    const n = this.data.rows.length;
    this.count.textContent = this.step ? `${this.step} / ${n}` : `all ${n}`;
    if (!this.svg) {
      for (const tr of this.stage.querySelectorAll("tr[data-row]")) {
        tr.classList.toggle("later", this.step > 0 && tr.dataset.row > this.step);
        tr.classList.toggle("at", Number(tr.dataset.row) === this.at);
      }
      if (!this.at) this.tell(0);
      return;
    }
    for (const [row, g] of this.boxes) {
      g.classList.toggle("later", this.step > 0 && row > this.step);
      g.classList.toggle("at", row === this.at);
    }
    for (const e of this.svg.querySelectorAll("[data-from]")) {
      const name = ["po", "rf", "co", "fr"].find((n) => e.classList.contains("rv-" + n)) ?? (e.classList.contains("rv-other") ? e.dataset.rel : "cycle");
      e.classList.toggle("off", this.hidden.has(name));
      e.classList.toggle("later", this.step > 0 && (e.dataset.from > this.step || e.dataset.to > this.step));
      e.classList.toggle("on", this.at > 0 && (e.dataset.from == this.at || e.dataset.to == this.at));
    }
    for (const e of this.svg.querySelectorAll(".rv-key")) e.classList.toggle("off", this.hidden.has(e.dataset.rel));
    if (!this.at) this.tell(0);
  }

  scale() {
    if (this.zoom) return this.zoom;
    const room = this.stage.clientWidth - 2;
    return room > 0 ? Math.max(0.45, Math.min(1.1, room / this.width)) : 1;
  }

  setZoom(z) {
    this.zoom = z && Math.max(0.2, Math.min(4, z));
    this.applyZoom();
  }

  applyZoom() {
    if (!this.svg) return;
    const z = this.scale();
    this.svg.setAttribute("width", this.width * z);
    this.svg.setAttribute("height", this.height * z);
  }

  // search dims events that do not have the words.
  search(words) {
    const want = words.trim().toLowerCase();
    this.found = [];
    for (const r of this.data.rows) {
      const hit = want !== "" && `${this.data.threads[r.thread]} ${r.location.line}: ${r.text} ${r.mark ?? ""}`.toLowerCase().includes(want);
      if (hit) this.found.push(r.row);
      const e = this.elementOf(r.row);
      e?.classList.toggle("found", hit);
      e?.classList.toggle("faint", want !== "" && !hit);
    }
    this.next = 0;
    this.why.textContent = want === "" ? "" : `${this.found.length} of ${this.data.rows.length} events`;
    if (this.found.length) this.elementOf(this.found[0]).scrollIntoView({ block: "center", inline: "nearest" });
  }

  nextFound() {
    if (!this.found?.length) return;
    this.next = (this.next + 1) % this.found.length;
    this.elementOf(this.found[this.next]).scrollIntoView({ block: "center", inline: "nearest" });
    this.look(this.found[this.next]);
  }
}

// sign is a small filled drawing.
function sign(d) {
  const s = icon(d, 12);
  s.classList.add("sign");
  return s;
}

// arrows lets the arrow keys move between the tabs of a list.
export function arrows(list) {
  list.addEventListener("keydown", (e) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!move) return;
    const tabs = [...list.querySelectorAll("button")];
    tabs[(tabs.indexOf(document.activeElement) + move + tabs.length) % tabs.length]?.focus();
    e.preventDefault();
  });
}
