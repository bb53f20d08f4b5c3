// Small pieces that everything is built from. Text is only ever set as text, never parsed.

const SVG = "http://www.w3.org/2000/svg";

function set(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined && child !== "") element.append(child);
  return element;
}

const h = (tag, attributes, ...children) => set(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => set(document.createElementNS(SVG, tag), attributes, children);

const many = (n, one, more = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : more}`;
const crop = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Control characters are written out, so that no name can hide or reorder what stands beside it.
const shown = (text) =>
  String(text).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u3164\uffa0]/gu, (c) => `\\u${c.codePointAt(0).toString(16).padStart(4, "0")}`);

// Icons of 16 × 16, so that no font has to have them.
const ICONS = {
  start: "M4 3.5v9M12.5 3.5 6 8l6.5 4.5z", back: "M11 3.5 4.5 8l6.5 4.5z", forward: "M5 3.5 11.5 8 5 12.5z", end: "M12 3.5v9M3.5 3.5 10 8l-6.5 4.5z",
  plus: "M8 3.5v9M3.5 8h9", minus: "M3.5 8h9", fit: "M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3", fold: "M3 3h10v10H3zM5.5 8h5", unfold: "M3 3h10v10H3zM5.5 8h5M8 5.5v5", theme: "M8 2.5a5.5 5.5 0 1 0 0 11z",
};
const icon = (name) => s("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" }, s("path", { d: ICONS[name] }), name === "theme" ? s("circle", { cx: 8, cy: 8, r: 5.5 }) : null);
const tool = (label, name, act) => h("button", { type: "button", "aria-label": label, title: label, onclick: act, class: "tool" }, icon(name));

// `w1` in a sentence is a name.
function sentence(text) {
  return shown(text).split("`").map((part, k) => (k % 2 ? h("b", {}, part) : part));
}

function section(title, ...children) {
  const kept = children.flat(Infinity).filter((child) => child);
  return kept.length ? h("section", { class: "card" }, h("h2", {}, title), kept) : null;
}
