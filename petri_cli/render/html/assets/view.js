// The pane around a picture: pan, zoom, fit, search, fold; by pointer, wheel and keys.

const MOST_SEEN = 140; // members that are open at first

class View {
  constructor(drawing, { eager = [], note = "" } = {}) {
    this.drawing = drawing;
    this.scene = new Scene(drawing, { onfold: (b) => this.fold(b), onpick: (n) => this.scene.follow(n) });
    this.marking = drawing.initial;
    this.flags = [];
    this.x = this.y = 0;
    this.zoom = 1;
    this.open = this.start(eager);
    this.find = h("input", { type: "search", placeholder: "Search", "aria-label": "Search tasks, places and resources (/)", oninput: () => this.search(false), onkeydown: (e) => this.typed(e) });
    this.found = h("span", { class: "found", role: "status" });
    const folds = drawing.blocks.length > 1;
    this.pane = h("div", { class: "pane" }, this.scene.svg);
    this.element = h("div", { class: "view" },
      h("div", { class: "tools", role: "toolbar", "aria-label": "The picture" }, this.find, this.found, h("span", { class: "room" }),
        folds ? tool("Fold all", "fold", () => this.reopen(new Set([0]))) : null, folds ? tool("Unfold all", "unfold", () => this.reopen(new Set(drawing.blocks.keys()))) : null,
        tool("Zoom out (-)", "minus", () => this.zoomBy(1 / 1.25)), tool("Zoom in (+)", "plus", () => this.zoomBy(1.25)), tool("Fit (f)", "fit", () => this.fit())),
      this.pane, note ? h("p", { class: "note" }, shown(note)) : null);
    this.pointers();
    this.scene.svg.addEventListener("keydown", (event) => this.key(event));
    this.redraw();
  }

  // Folded where there is too much: the blocks around `eager` elements are open first, then the outer ones.
  start(eager) {
    const { blocks } = this.drawing, open = new Set([0]);
    let seen = blocks[0].cells.length;
    const unfold = (b) => {
      if (open.has(b) || !open.has(blocks[b].parent)) return;
      open.add(b);
      seen += blocks[b].cells.length;
    };
    for (const id of eager) {
      const chain = [];
      for (let b = this.drawing.holder[this.drawing.number.get(id)] ?? -1; b > 0; b = blocks[b].parent) chain.unshift(b);
      if (seen + chain.length < 2 * MOST_SEEN) chain.forEach(unfold);
    }
    let level = [0];
    while (level.length) {
      const next = level.flatMap((b) => blocks[b].children).filter((b) => open.has(b) || seen + blocks[b].cells.length <= MOST_SEEN);
      next.forEach(unfold);
      level = next.filter((b) => open.has(b));
    }
    return open;
  }

  redraw() {
    this.scene.draw(this.open);
    this.scene.mark(this.marking);
    for (const [name, numbers] of this.flags) this.scene.flag(name, numbers);
    this.onredraw?.();
    this.move();
  }

  fold(b) {
    const before = { ...this.drawing.at.get(-1 - b) };
    const left = before.x - before.w / 2, top = before.y - before.h / 2;
    if (this.open.has(b)) this.open.delete(b);
    else {
      this.open.add(b);
      for (let only = this.drawing.blocks[b]; only.children.length === 1 && this.drawing.blocks[only.children[0]].bare; only = this.drawing.blocks[only.children[0]]) this.open.add(only.children[0]);
    }
    this.redraw();
    const after = this.drawing.at.get(-1 - b);
    this.x += (left - (after.x - after.w / 2)) * this.zoom;
    this.y += (top - (after.y - after.h / 2)) * this.zoom;
    this.move();
    this.scene.port.querySelector(`[data-block="${b}"]`)?.focus({ preventScroll: true });
  }

  reopen(open) {
    this.open = open;
    this.redraw();
    this.fit();
  }

  mark(marking, flags = []) {
    this.marking = marking;
    this.flags = flags;
    this.scene.mark(marking);
    for (const [name, numbers] of flags) this.scene.flag(name, numbers);
  }

  move() { this.scene.port.setAttribute("transform", `translate(${this.x.toFixed(1)} ${this.y.toFixed(1)}) scale(${this.zoom.toFixed(4)})`); }

  size() {
    const box = this.pane.getBoundingClientRect();
    return [box.width || 800, box.height || 500];
  }

  fit() {
    const [w, tall] = this.size(), d = this.drawing, margin = 28;
    const whole = Math.min((w - 2 * margin) / d.width, (tall - 2 * margin) / d.height, 1.25);
    this.zoom = Math.max(whole, w < 700 ? 0.5 : 0.45);
    this.x = Math.max(margin, (w - d.width * this.zoom) / 2);
    this.y = d.height * this.zoom > tall - 2 * margin ? margin : (tall - d.height * this.zoom) / 2;
    this.move();
  }

  zoomBy(factor, cx, cy) {
    const [w, tall] = this.size();
    const x = cx ?? w / 2, y = cy ?? tall / 2;
    const zoom = Math.min(4, Math.max(0.02, this.zoom * factor));
    this.x = x - ((x - this.x) * zoom) / this.zoom;
    this.y = y - ((y - this.y) * zoom) / this.zoom;
    this.zoom = zoom;
    this.move();
  }

  // Bring an element into sight, moving no more than needed.
  reveal(n, center = false) {
    const at = this.drawing.at.get(this.drawing.shownAs(n));
    if (!at) return;
    const [w, tall] = this.size(), x = at.x * this.zoom + this.x, y = at.y * this.zoom + this.y, edge = 60;
    if (center || x < edge || x > w - edge) this.x += w / 2 - x;
    if (center || y < edge || y > tall - edge) this.y += tall / 2 - y;
    this.move();
  }

  pointers() {
    const held = new Map();
    let spread = 0, moved = 0;
    this.pane.addEventListener("pointerdown", (event) => {
      held.set(event.pointerId, event);
      spread = moved = 0;
    });
    addEventListener("pointermove", (event) => {
      const last = held.get(event.pointerId);
      if (!last) return;
      const dx = event.clientX - last.clientX, dy = event.clientY - last.clientY;
      held.set(event.pointerId, event);
      moved += Math.abs(dx) + Math.abs(dy);
      if (moved > 4) this.pane.setPointerCapture?.(event.pointerId);
      if (held.size === 1) {
        this.x += dx;
        this.y += dy;
        this.move();
      } else {
        const [one, two] = [...held.values()], box = this.pane.getBoundingClientRect();
        const now = Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY);
        if (spread) this.zoomBy(now / spread, (one.clientX + two.clientX) / 2 - box.left, (one.clientY + two.clientY) / 2 - box.top);
        spread = now;
      }
    });
    const up = (event) => { held.delete(event.pointerId); spread = 0; };
    addEventListener("pointerup", up);
    addEventListener("pointercancel", up);
    this.pane.addEventListener("click", (event) => { if (moved > 4) event.stopPropagation(); }, true);
    this.pane.addEventListener("wheel", (event) => {
      event.preventDefault();
      const box = this.pane.getBoundingClientRect();
      this.zoomBy(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX - box.left, event.clientY - box.top);
    }, { passive: false });
  }

  key(event) {
    const far = 60, keys = { "+": () => this.zoomBy(1.25), "=": () => this.zoomBy(1.25), "-": () => this.zoomBy(1 / 1.25), f: () => this.fit(), ArrowUp: () => { this.y += far; this.move(); }, ArrowDown: () => { this.y -= far; this.move(); } };
    if (event.shiftKey && event.key === "ArrowLeft") keys.ArrowLeft = () => { this.x += far; this.move(); };
    if (event.shiftKey && event.key === "ArrowRight") keys.ArrowRight = () => { this.x -= far; this.move(); };
    const act = event.ctrlKey || event.metaKey || event.altKey ? null : keys[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  typed(event) {
    if (event.key === "Enter") this.search(true);
    if (event.key === "Escape") { this.find.value = ""; this.search(false); this.scene.svg.focus(); }
    event.stopPropagation();
  }

  // Names that contain the words, case left aside; Enter goes to the next.
  search(next) {
    const d = this.drawing, words = this.find.value.trim().toLowerCase();
    if (!words) {
      this.hits = [];
      this.found.textContent = "";
      this.scene.flag("hit", []);
      return;
    }
    if (!next || this.sought !== words) {
      const has = (x) => [x.id, x.name, x.label].some((text) => text?.toLowerCase().includes(words));
      this.hits = [...d.transitions.flatMap((t, k) => (has(t) ? [d.first + k] : [])), ...d.places.flatMap((p, k) => (has(p) ? [k] : []))];
      this.hits.sort((a, b) => (d.transitions[b - d.first]?.kind === "task") - (d.transitions[a - d.first]?.kind === "task"));
      this.hit = 0;
    } else this.hit = (this.hit + 1) % Math.max(1, this.hits.length);
    this.sought = words;
    this.found.textContent = this.hits.length ? `${this.hit + 1} of ${this.hits.length.toLocaleString("en")}` : "nothing";
    if (this.hits.length) this.show(this.hits[this.hit]);
    this.scene.flag("hit", this.hits.slice(this.hit, this.hit + 1));
  }

  // Unfold what hides an element, and go there.
  show(n) {
    let changed = false;
    for (let b = this.drawing.holder[n]; b > 0; b = this.drawing.blocks[b].parent) {
      changed ||= !this.open.has(b);
      this.open.add(b);
    }
    if (changed) this.redraw();
    if (this.zoom < 0.55) this.zoomBy(0.8 / this.zoom);
    this.reveal(n, true);
    this.scene.follow(n);
  }
}
