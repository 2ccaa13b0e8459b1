// Shows the answer to a run: the verdict, then models, errors or outcomes, and the execution that is chosen.
import { el, icon, code } from "./dom.js";
import { Picture } from "./picture.js";

const signs = { good: "M4 13l5 5L20 6", bad: "M5 5l14 14M19 5L5 19", note: "M6 8h12M6 15h12M16 4L8 20", open: "M8 9a4 4 0 1 1 5.5 3.7c-1 .4-1.5 1-1.5 2.3M12 19.2v.1" };

// showAnswer fills a place; page has mark(marks), show(row), apply(edits), open(file), go(location).
export function showAnswer(place, answer, page) {
  const parts = [verdict(answer.tone, answer.headline, answer.detail)];
  if (answer.warnings?.length) parts.push(notes(answer.warnings.map((w) => ["Warning", w])));
  const body = el("div");
  place.replaceChildren(...parts, body);
  if (answer.models) showModels(body, answer, page);
  else if (answer.differences) showDifferences(body, answer, page);
  else showOutcomes(body, answer, page);
  if (answer.test) parts[0].append(el("button.small", { onclick: () => page.open(answer.test) }, "Open " + answer.test.name));
}

export function verdict(tone, headline, detail) {
  return el("div.verdict." + tone, { "data-tone": tone }, icon(signs[tone]), el("h2", {}, headline), el("p", {}, ...code(detail)));
}

// notes lists facts, each with its word.
function notes(list) {
  return el("ul.notes", {}, ...list.map(([word, text]) => el("li", {}, el("b", {}, word + ": "), ...code(text))));
}

function picture(body, data, options) {
  const p = new Picture(data, options);
  body.append(p.element);
  p.applyZoom();
  return p;
}

function showModels(body, answer, page) {
  const place = el("div");
  const chips = el("div.chips", { role: "group", "aria-label": "Models" });
  const choose = (i) => {
    chips.querySelectorAll("button").forEach((b, k) => b.setAttribute("aria-pressed", String(k === i)));
    place.replaceChildren();
    showModel(place, answer.models[i], page, answer.models.length > 1);
  };
  answer.models.forEach((m, i) => chips.append(el("button." + m.tone, { "aria-pressed": "false", title: m.summary, onclick: () => choose(i) }, m.model)));
  if (answer.models.length > 1) body.append(chips);
  body.append(place);
  const bad = answer.models.findIndex((m) => m.tone === "bad");
  choose(Math.max(0, bad));
}

function showModel(body, m, page, several) {
  if (several) body.append(notes([[m.verdict, m.summary]]));
  const errors = m.errors ?? [];
  if (m.warnings?.length) body.append(notes(m.warnings.map((w) => ["Warning", w])));
  if (m.suggestion) body.append(suggestion(m, page));
  const place = el("div");
  const choose = (i) => {
    place.replaceChildren();
    showFault(place, errors[i], m, page);
  };
  if (errors.length > 1) {
    const chips = el("div.chips", { role: "group", "aria-label": "Errors" });
    errors.forEach((e, i) =>
      chips.append(
        el("button.bad", { "aria-pressed": String(i === 0), onclick: () => (chips.querySelectorAll("button").forEach((b, k) => b.setAttribute("aria-pressed", String(k === i))), choose(i)) }, `${e.title}, line ${e.marks[0]?.location.line ?? "?"}`),
      ),
    );
    body.append(chips);
  }
  body.append(place);
  page.mark([]);
  if (errors.length) choose(0);
  else if (m.executions?.length) showPassing(body, m, page);
  else body.append(el("pre", { tabindex: 0 }, m.text));
}

// showPassing shows executions of a program without errors.
function showPassing(body, m, page) {
  const place = el("div");
  const chips = el("div.chips", { role: "group", "aria-label": "Executions" });
  const choose = (i) => {
    chips.querySelectorAll("button").forEach((b, k) => b.setAttribute("aria-pressed", String(k === i)));
    const e = m.executions[i];
    place.replaceChildren();
    picture(place, e.picture, { unfolded: e.unfolded, text: m.text, onRow: page.show });
  };
  m.executions.forEach((e, i) => chips.append(el("button", { "aria-pressed": "false", "data-execution": i, onclick: () => choose(i) }, e.title)));
  body.append(el("h3", {}, "Executions to look at"), chips, place);
  choose(0);
}

function showFault(body, fault, m, page) {
  page.mark(fault.marks);
  const places = el("ul.places");
  for (const k of fault.marks.filter((k) => k.location.line > 0)) {
    places.append(el("li", {}, el("button.place", { onclick: () => page.go(k.location) }, `${k.location.file}:${k.location.line}`), " ", ...code(k.label ?? "")));
  }
  body.append(places);
  if (fault.picture) picture(body, fault.picture, { unfolded: fault.unfolded, text: m.text, onRow: page.show });
  else body.append(el("pre", { tabindex: 0 }, m.text));
  body.append(notes([["What it is", fault.explain], ...(fault.notes ?? []).map((n) => ["Note", n]), ...(fault.help ?? []).map((n) => ["Help", n])]));
}

function suggestion(m, page) {
  const changes = m.changes ?? [];
  const edits = changes.filter((c) => c.edit);
  const box = el("div.suggest", {}, el("h3", {}, "Suggestion: " + m.suggestion));
  const list = el("ul");
  for (const c of changes) {
    list.append(
      el(
        "li",
        {},
        el("button.place", { onclick: () => page.go(c.location) }, `${c.location.file}:${c.location.line}`),
        el("span", {}, c.text),
        c.edit ? el("button.small", { "data-apply": true, onclick: (e) => (page.apply([c.edit]), (e.target.disabled = true), (e.target.textContent = "Applied")) }, "Apply") : null,
      ),
    );
  }
  box.append(list);
  if (edits.length > 1) {
    box.append(el("button.small", { "data-apply-all": true, onclick: () => (page.apply(edits.map((c) => c.edit)), box.querySelectorAll("button.small").forEach((b) => (b.disabled = true))) }, "Apply all"));
  }
  return box;
}

// showOutcomes lists final states; the chosen one shows its execution.
function showOutcomes(body, answer, page) {
  const place = el("div");
  const list = answer.outcomes ?? [];
  const rows = el("tbody");
  const choose = (i) => {
    [...rows.children].forEach((tr, k) => tr.setAttribute("aria-selected", String(k === i)));
    place.replaceChildren();
    const o = list[i];
    if (!o) return;
    if (!o.allowed && o.check) place.append(notes([["Forbidden by", o.check + (o.cycle?.length ? ": " + o.cycle.join(" → ") : "")]]));
    if (o.picture) picture(place, o.picture, { text: answer.text, onRow: page.show });
    else if (!answer.stages?.length) place.append(el("pre", { tabindex: 0 }, answer.text));
  };
  list.forEach((o, i) => {
    const asked = o.condition ? el("span", { title: "the condition of the test" }, "● asked for") : el("span", {}, "");
    rows.append(
      el(
        "tr",
        { "aria-selected": "false", onclick: () => choose(i) },
        el("td", {}, el("button", { "data-outcome": i }, o.state)),
        el("td", {}, el("span", {}, el(`span.tag.${o.allowed ? "yes" : "no"}`, {}, o.allowed ? "allowed" : "forbidden"))),
        el("td", {}, el("span", {}, String(o.executions))),
        el("td", {}, asked),
      ),
    );
  });
  if (list.length) {
    body.append(
      el("h3", {}, "Outcomes"),
      el("table.outcomes", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Final state"), el("th", { scope: "col" }, "Model"), el("th", { scope: "col" }, "Executions"), el("th", { scope: "col" }, ""))), rows),
    );
    if (answer.kind === "litmus" && !answer.allOutcomes) body.append(notes([["Note", "there may be forbidden outcomes that are not listed: the test is large"]]));
  }
  body.append(place);
  page.mark([]);
  const first = list.findIndex((o) => o.condition);
  if (list.length) choose(Math.max(0, first));
  else body.append(el("pre", { tabindex: 0 }, answer.text));
  for (const s of answer.stages ?? []) {
    body.append(el("h3", {}, s.title));
    if (s.picture) picture(body, s.picture, { text: answer.text, onRow: page.show });
  }
}

function showDifferences(body, answer, page) {
  page.mark([]);
  for (const d of answer.differences) {
    const facts = [];
    // The picture has no letters for events, so they are named by what they do.
    const events = new Map((d.events ?? []).map((e) => [e.name, `P${e.thread} ${e.event}`]));
    const cycle = (f) => f.cycle.map((x, i) => (i % 2 === 0 ? (events.get(x) ?? x) : x)).join(" → ");
    if (d.state) facts.push(["State", Object.entries(d.state).map(([k, v]) => `${k} = ${v}`).join(", ")]);
    if (d.allowed) facts.push(["Allowed by", d.allowed.join(", ")]);
    for (const f of d.forbidden ?? []) facts.push([`Forbidden by ${f.model}`, f.check + (f.cycle?.length ? ": " + cycle(f) : "")]);
    if (d.other) facts.push(["Difference", d.other]);
    body.append(notes(facts));
    if (d.picture) picture(body, d.picture, { text: answer.text, onRow: page.show });
  }
}
