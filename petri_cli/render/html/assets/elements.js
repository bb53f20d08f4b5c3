// Small pieces that everything is built from. Text is only ever set as text, never parsed.

const SVG = "http://www.w3.org/2000/svg";

function set(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== "") element.append(child);
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

// `w1` in a sentence is a name.
function sentence(text) {
  return shown(text).split("`").map((part, k) => (k % 2 ? h("b", {}, part) : part));
}

function section(title, ...children) {
  const kept = children.flat().filter((child) => child);
  return kept.length ? h("section", { class: "card" }, h("h2", {}, title), kept) : null;
}
