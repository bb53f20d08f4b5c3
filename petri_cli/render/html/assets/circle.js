// Who waits for whom: branches and resources in a ring, where they form one.

const MOST_ROWS = 12;

// The ring as [wait, wait, …], each waiting for a resource that the next one holds; null where it is none.
function ring(waits) {
  const by = new Map(waits.map((w) => [w.who, w]));
  const way = [];
  let at = waits[0];
  while (at && !way.includes(at)) {
    way.push(at);
    if (at.holders.length !== 1) return null;
    at = by.get(at.holders[0]);
  }
  return at === way[0] && way.length === waits.length && way.length > 1 && way.length <= 8 ? way : null;
}

function circle(waits) {
  const way = ring(waits);
  if (!way) return null;
  const items = way.flatMap((w) => [{ text: w.who, kind: "who" }, { text: w.resource, kind: "what" }]);
  const n = items.length, rx = n > 6 ? 165 : 118, ry = n > 6 ? 40 + 14 * n : 74, cx = 180, cy = ry + 34;
  const spot = (k) => { const a = (k / n) * 2 * Math.PI - Math.PI / 2 - Math.PI / n; return [cx + rx * Math.cos(a), cy + ry * Math.sin(a)]; };
  const drawn = items.flatMap(({ text, kind }, k) => {
    const [x, y] = spot(k), label = crop(shown(text), 16), w = textWidth(label) + 26;
    return kind === "who" ? [s("rect", { class: kind, x: x - w / 2, y: y - 15, width: w, height: 30, rx: 7 }), s("text", { x, y: y + 4, class: "middle" }, label)]
      : [s("rect", { class: kind, x: x - w / 2, y: y - 15, width: w, height: 30, rx: 15 }), s("text", { x, y: y + 4, class: "middle" }, label)];
  });
  const arrows = items.map(({ text, kind }, k) => {
    const [x1, y1] = spot(k), [x2, y2] = spot((k + 1) % n);
    const cut = (k2, towards) => {
      const [x, y] = spot(k2), w = (textWidth(crop(shown(items[k2 % n].text), 16)) + 34) / 2, dx = towards[0] - x, dy = towards[1] - y;
      const t = Math.min(w / Math.max(1e-6, Math.abs(dx)), 20 / Math.max(1e-6, Math.abs(dy)), 0.45);
      return [x + dx * t, y + dy * t];
    };
    const a = cut(k, [x2, y2]), b = cut((k + 1) % n, [x1, y1]), mx = (a[0] + b[0]) / 2, my = (a[1] + b[1]) / 2;
    const word = n > 6 ? "" : kind === "who" ? "waits for" : "held by";
    return s("g", {}, s("path", { d: `M${a[0]} ${a[1]}L${b[0]} ${b[1]}`, class: kind === "who" ? "stuck" : "held", "marker-end": kind === "who" ? "url(#stuck)" : "url(#arrow)" }),
      s("text", { x: mx + (mx > cx ? 10 : -10), y: my + (Math.abs(a[1] - b[1]) < 8 ? -7 : 4), class: `small ${Math.abs(a[1] - b[1]) < 8 ? "middle" : mx > cx ? "" : "ended"}` }, word));
  });
  const drawing = s("svg", { class: "ring", viewBox: `-40 0 440 ${2 * cy}`, role: "img", "aria-label": waiting(waits).join(" ") }, Scene.markers(), arrows, drawn);
  return n > 6 ? [drawing, h("p", { class: "dim" }, "A dashed arrow leads to what is waited for, a plain one to who holds it.")] : drawing;
}

const amount = (name, n) => (n === 1 ? name : `${n} × ${name}`);
const listed = (names) => (names.length > 3 ? `${names.slice(0, 2).join(", ")} and ${names.length - 2} more` : names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0]);

function waiting(waits) {
  return waits.map((w) => {
    const held = w.holds.map((x) => `${amount(x.resource, x.units)}${x.step ? ` since step ${x.step}` : ""}`);
    const has = held.length ? ` holds ${listed(held)} and` : "";
    return shown(`${w.who}${has} waits for ${amount(w.resource, w.needs)}${w.holders.length ? `, held by ${listed(w.holders)}` : ""}.`);
  });
}

function whoWaits(waits) {
  if (!waits?.length) return null;
  const told = waiting(waits);
  return section("Who waits for whom", circle(waits), h("ul", { class: "plain" }, told.slice(0, MOST_ROWS).map((text) => h("li", {}, text)),
    told.length > MOST_ROWS ? h("li", { class: "dim" }, `and ${told.length - MOST_ROWS} more`) : null));
}
