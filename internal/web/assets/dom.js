// Small helpers to make elements. Text is always text: nothing here parses HTML.

// el makes an element: el("button.small", {onclick}, "text", child, …).
export function el(what, attributes = {}, ...children) {
  const [tag, ...classes] = what.split(".");
  const e = document.createElement(tag);
  if (classes.length) e.className = classes.join(" ");
  for (const [k, v] of Object.entries(attributes)) {
    if (k.startsWith("on")) e.addEventListener(k.slice(2), v);
    else if (v === true) e.setAttribute(k, "");
    else if (v !== false && v != null) e.setAttribute(k, v);
  }
  e.append(...children.filter((c) => c != null));
  return e;
}

// icon makes a small drawing from the data of a path.
export function icon(d, size = 24) {
  const ns = "http://www.w3.org/2000/svg";
  const s = document.createElementNS(ns, "svg");
  s.setAttribute("viewBox", `0 0 ${size} ${size}`);
  s.setAttribute("aria-hidden", "true");
  const p = document.createElementNS(ns, "path");
  p.setAttribute("d", d);
  s.append(p);
  return s;
}

export const $ = (id) => document.getElementById(id);

let toastTimer;
export function toast(text) {
  $("toast").textContent = text;
  $("toast").classList.add("on");
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => $("toast").classList.remove("on"), 2500);
}

// code returns text as nodes, with what is in backquotes set as code.
export function code(text) {
  return text.split("`").map((part, i, all) => (i % 2 === 1 && i + 1 < all.length ? el("code", {}, part) : i % 2 === 1 ? "`" + part : part));
}
