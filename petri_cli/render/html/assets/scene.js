// The picture: frames, arcs, places, transitions, resources, and the tokens on top.

const MOST_ARCS = 60; // arcs to resources that are shown at rest

class Scene {
  constructor(drawing, { onfold, onpick }) {
    this.drawing = drawing;
    this.onfold = onfold;
    this.onpick = onpick;
    this.svg = s("svg", { class: "net", role: "group", "aria-label": "The net", tabindex: 0 });
    this.port = s("g");
    this.svg.append(Scene.markers(), this.port);
  }

  static markers() {
    const arrow = (id) => s("marker", { id, viewBox: "0 0 8 8", refX: 7.5, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto", markerUnits: "userSpaceOnUse" },
      s("path", { d: "M0 .8 8 4 0 7.2z", class: `head ${id}` }));
    const circle = s("marker", { id: "inhibit", viewBox: "0 0 9 9", refX: 9, refY: 4.5, markerWidth: 9, markerHeight: 9, orient: "auto", markerUnits: "userSpaceOnUse" },
      s("circle", { cx: 4.5, cy: 4.5, r: 3.4, class: "hollow" }));
    return s("defs", {}, arrow("arrow"), arrow("faint"), arrow("stuck"), circle);
  }

  // Draw everything anew, as far as it is not folded.
  draw(open) {
    const d = this.drawing;
    d.place(open);
    this.nodes = new Map();
    const frames = [], boxes = [];
    d.blocks.forEach((block, b) => {
      if (!d.seen[b]) return;
      if (!open.has(b)) boxes.push(this.foldedBox(block, b));
      else if (!block.bare) frames.push(this.frame(block, b));
    });
    const elements = [];
    for (const [n, at] of d.at) if (n >= 0) elements.push(d.isResource(n) ? this.pool(n, at) : n < d.first ? this.place(n, at) : this.transition(n, at));
    this.tokens = s("g", { class: "tokens" });
    this.extra = s("g", { class: "extra" });
    this.port.replaceChildren(s("g", {}, frames), s("g", { class: "arcs" }, this.arcs()), s("g", {}, boxes), s("g", {}, elements), this.extra, this.tokens);
  }

  frame(block, b) {
    const at = this.drawing.at.get(-1 - b);
    const x = at.x - at.w / 2, y = at.y - at.h / 2;
    const [name] = this.drawing.names(block);
    const head = this.button(b, true, name, s("rect", { x, y, width: at.w, height: HEAD, class: "grip" }),
      s("path", { d: `M${x + 10} ${y + 11}l4 4 4-4`, class: "sign" }), s("text", { x: x + 24, y: y + 17, class: "name" }, name));
    const g = s("g", { class: `frame ${block.kind}`, "data-n": -1 - b }, s("rect", { x, y, width: at.w, height: at.h, rx: 9 }), head);
    this.nodes.set(-1 - b, g);
    return g;
  }

  foldedBox(block, b) {
    const at = this.drawing.at.get(-1 - b);
    const x = at.x - at.w / 2, y = at.y - at.h / 2;
    const [name, tasks] = this.drawing.names(block);
    const g = this.button(b, false, `${name}, ${tasks}`, s("rect", { x: x + 3, y: y + 3, width: at.w, height: at.h, rx: 9, class: "behind" }),
      s("rect", { x, y, width: at.w, height: at.h, rx: 9 }), s("path", { d: `M${x + 12} ${y + 12}l4 4-4 4`, class: "sign" }),
      s("text", { x: x + 24, y: y + 20, class: "name" }, name), s("text", { x: x + 24, y: y + 36, class: "small" }, tasks));
    g.setAttribute("class", `folded ${block.kind}`);
    g.setAttribute("data-n", -1 - b);
    this.nodes.set(-1 - b, g);
    return g;
  }

  button(b, open, label, ...children) {
    const act = (event) => {
      event.preventDefault();
      event.stopPropagation();
      this.onfold(b);
    };
    return s("g", {
      class: "button", role: "button", tabindex: 0, "aria-expanded": String(open), "aria-label": `${label}: ${open ? "fold" : "unfold"}`, "data-block": b,
      onclick: act, onkeydown: (event) => (event.key === "Enter" || event.key === " ") && act(event),
    }, ...children);
  }

  place(n, at) {
    const p = this.drawing.places[n];
    const r = this.drawing.flat ? 11 : PLACE;
    const { y } = at;
    at.dot = y;
    const g = s("g", { class: `place${p.final ? " final" : ""}`, "data-n": n }, s("title", {}, shown(p.name ? `${p.name} (${p.id})` : p.id)),
      s("circle", { cx: at.x, cy: y, r }), p.final ? s("circle", { cx: at.x, cy: y, r: r - 3, class: "ring" }) : null,
      this.drawing.flat ? s("text", { x: at.x, y: y + r + 13, class: "small middle" }, this.drawing.label(n)) : null);
    this.nodes.set(n, g);
    return g;
  }

  transition(n, at) {
    const d = this.drawing, t = d.transitions[n - d.first];
    const title = [t.name, t.id, t.line ? `line ${t.line}` : ""].filter(Boolean).map(shown).join("\n");
    const g = s("g", { class: `transition ${t.kind}`, "data-n": n, onclick: () => this.onpick(n) }, s("title", {}, title),
      s("rect", { x: at.x - at.w / 2, y: at.y - at.h / 2, width: at.w, height: at.h, rx: t.kind === "task" ? 7 : 4 }),
      s("text", { x: at.x, y: at.y + 4, class: "middle" }, d.label(n)));
    this.nodes.set(n, g);
    return g;
  }

  pool(n, at) {
    const name = this.drawing.poolName(n);
    const g = s("g", { class: "pool", "data-n": n }, s("title", {}, `resource ${name}`),
      s("rect", { x: at.x - at.w / 2, y: at.y - 15, width: at.w, height: 30, rx: 15 }),
      s("text", { x: at.x - at.w / 2 + 14, y: at.y + 4, class: "name" }, name));
    at.slot = at.x + at.w / 2 - 24;
    this.nodes.set(n, g);
    return g;
  }

  arcs() {
    const d = this.drawing, seen = new Set(), drawn = [], aside = [];
    for (const [a, b, count, kind] of d.arcs) {
      const from = d.shownAs(a), to = d.shownAs(b);
      const key = `${from}>${to}>${kind ?? ""}`;
      if (from === to || seen.has(key)) continue;
      seen.add(key);
      if (d.isResource(a) || d.isResource(b)) aside.push(this.upright(from, to));
      else drawn.push(this.sideways(from, to, kind, count, `${a},${b}`));
    }
    const many = aside.length > MOST_ARCS;
    return [s("g", { class: `aside${many ? " resting" : ""}` }, aside), drawn];
  }

  sideways(from, to, kind, count, key) {
    const d = this.drawing, a = this.middle(from), b = this.middle(to);
    const bends = d.blocks[0].bent?.get(key);
    let path;
    const x1 = a.x + a.w / 2, x2 = b.x - b.w / 2;
    if (bends?.length) {
      const right = a.x <= b.x ? 1 : -1;
      let [px, py] = [a.x + right * (a.w / 2), a.y];
      path = `M${px} ${py}`;
      for (const [x, half, y] of bends) {
        const near = x - right * half, far = x + right * half, mid = (px + near) / 2;
        path += `C${mid} ${py} ${mid} ${y} ${near} ${y}L${far} ${y}`;
        [px, py] = [far, y];
      }
      const end = b.x - right * (b.w / 2), mid = (px + end) / 2;
      path += `C${mid} ${py} ${mid} ${b.y} ${end} ${b.y}`;
    } else if (x2 >= x1 - 2) {
      const reach = Math.max(12, (x2 - x1) / 2);
      path = `M${x1} ${a.y}C${x1 + reach} ${a.y} ${x2 - reach} ${b.y} ${x2} ${b.y}`;
    } else {
      path = this.backwards(from, to, a, b);
    }
    const arc = s("path", { d: path, class: kind ?? "", "marker-end": kind === "read" ? null : kind === "inhibit" ? "url(#inhibit)" : "url(#arrow)", "data-arc": `${from},${to}` });
    if (count < 2) return arc;
    return s("g", {}, arc, s("text", { x: (x1 + x2) / 2, y: (a.y + b.y) / 2 - 4, class: "small middle" }, String(count)));
  }

  // Over the top of the block that both stand in.
  backwards(from, to, a, b) {
    const d = this.drawing;
    let one = d.around(from), other = d.around(to);
    while (one !== other) {
      if (one > other) one = d.blocks[one].parent;
      else other = d.blocks[other].parent;
    }
    const own = d.at.get(-1 - one);
    const top = own.y - own.h / 2 + (d.blocks[one].bare ? -10 : HEAD + 4);
    const ya = a.y - a.h / 2, yb = b.y - b.h / 2;
    const up = (y) => y + ((top - y) * 4) / 3;
    return `M${a.x} ${ya}C${a.x} ${up(ya)} ${b.x} ${up(yb)} ${b.x} ${yb}`;
  }

  middle(n) {
    const at = this.drawing.at.get(n);
    if (n < 0 && at.port !== undefined) return { ...at, y: at.y - at.h / 2 + at.port };
    return at.dot === undefined ? at : { ...at, y: at.dot, w: this.drawing.flat ? 22 : at.w, h: 22 };
  }

  upright(from, to) {
    const a = this.middle(from), b = this.middle(to);
    const down = b.y > a.y ? 1 : -1;
    const y1 = a.y + (down * a.h) / 2, y2 = b.y - (down * b.h) / 2, reach = Math.max(24, Math.abs(y2 - y1) / 2) * down;
    return s("path", { d: `M${a.x} ${y1}C${a.x} ${y1 + reach} ${b.x} ${y2 - reach} ${b.x} ${y2}`, "marker-end": "url(#faint)", "data-arc": `${from},${to}` });
  }

  // Tokens of a marking: dots in places, numbers on folded blocks, units in resources.
  mark(marking) {
    const d = this.drawing, inside = new Map(), drawn = [];
    for (const [n, node] of this.nodes) {
      if (n >= 0 && n < d.first) set(node, { "data-tokens": marking[d.places[n].id] ?? 0 }, []);
    }
    for (const [id, n] of Object.entries(marking)) {
      const number = d.number.get(id);
      if (number === undefined || n <= 0) continue;
      const as = d.shownAs(number);
      if (as < 0) inside.set(as, (inside.get(as) ?? 0) + n);
      else if (!d.isResource(number)) drawn.push(...this.dots(number, n));
    }
    for (const [as, n] of inside) {
      const at = d.at.get(as);
      drawn.push(s("circle", { cx: at.x + at.w / 2 - 4, cy: at.y - at.h / 2 + 4, r: 9, class: "badge" }),
        s("text", { x: at.x + at.w / 2 - 4, y: at.y - at.h / 2 + 8, class: "count" }, String(n)));
    }
    for (let n = 0; n < d.first; n += 1) {
      if (!d.isResource(n)) continue;
      const at = d.at.get(n), free = marking[d.places[n].id] ?? 0, all = d.initial[d.places[n].id] ?? 0;
      drawn.push(s("text", { x: at.slot, y: at.y + 4, class: `units${free ? "" : " none"}` }, `${free}/${all}`));
    }
    this.tokens.replaceChildren(...drawn);
  }

  dots(number, n) {
    const at = this.middle(number);
    if (n > 4) return [s("circle", { cx: at.x, cy: at.y, r: 8, class: "token" }), s("text", { x: at.x, y: at.y + 4, class: "count" }, n > 99 ? "…" : String(n))];
    const spots = [[], [[0, 0]], [[-3.6, 0], [3.6, 0]], [[0, -3.6], [-3.6, 3], [3.6, 3]], [[-3.4, -3.4], [3.4, -3.4], [-3.4, 3.4], [3.4, 3.4]]][n];
    return spots.map(([x, y]) => s("circle", { cx: at.x + x, cy: at.y + y, r: n === 1 ? 4.6 : 3, class: "token" }));
  }

  // Mark elements with a class; those that are hidden mark the block that hides them.
  flag(name, numbers) {
    for (const node of this.nodes.values()) node.classList.remove(name);
    for (const n of numbers) this.nodes.get(this.drawing.shownAs(n))?.classList.add(name);
  }

  // Arcs of one element, shown whatever their number.
  follow(n) {
    const as = n === null ? null : this.drawing.shownAs(n);
    for (const path of this.port.querySelectorAll("[data-arc]")) {
      const [a, b] = path.dataset.arc.split(",").map(Number);
      path.classList.toggle("lit", as !== null && (a === as || b === as));
    }
  }

  // Tokens on their way: to the transition, then from it.
  fly(inputs, transition, outputs, done) {
    const d = this.drawing;
    const spot = (n) => { const at = this.middle(d.shownAs(n)); return d.isResource(n) ? { x: at.slot, y: at.y } : at; };
    const through = spot(transition);
    const flights = [...inputs.map((n) => [spot(n), through, 0]), ...outputs.map((n) => [through, spot(n), 1])].slice(0, 60);
    const dots = flights.map(() => s("circle", { r: 4.6, class: "token flying" }));
    const start = performance.now(), span = 260;
    let over = false;
    const frame = (now) => {
      if (over) return;
      const t = (now - start) / span;
      flights.forEach(([a, b, turn], k) => {
        const part = Math.min(1, Math.max(0, t - turn)), ease = part * part * (3 - 2 * part);
        dots[k].setAttribute("visibility", t >= turn && t < turn + 1 ? "visible" : "hidden");
        dots[k].setAttribute("cx", a.x + (b.x - a.x) * ease);
        dots[k].setAttribute("cy", a.y + (b.y - a.y) * ease);
      });
      if (t < 2) requestAnimationFrame(frame);
      else end();
    };
    const end = () => {
      if (over) return;
      over = true;
      dots.forEach((dot) => dot.remove());
      done();
    };
    this.port.append(...dots);
    requestAnimationFrame(frame);
    return end;
  }
}
