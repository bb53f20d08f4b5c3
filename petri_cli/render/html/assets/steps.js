// The run on the net, forward and back: buttons, arrow keys, or a click on a step.

class Stepper {
  constructor(view, steps, { again, waits = [] }) {
    Object.assign(this, { view, steps, again, waits, at: 0, flight: null });
    this.marking = { ...(steps[0]?.from ?? view.drawing.initial) };
    this.shown = 0; // the step after which `marking` is
    this.count = h("span", { class: "count" });
    this.told = h("p", { class: "told", "aria-live": "polite" });
    this.buttons = [tool("To the start (Home)", "start", () => this.go(0)), tool("One step back (←)", "back", () => this.back()),
      tool("One step forward (→)", "forward", () => this.forward()), tool("To the end (End)", "end", () => this.go(steps.length))];
    this.bar = h("div", { class: "stepper", role: "group", "aria-label": "Steps of the run" }, h("div", { class: "buttons" }, this.buttons, this.count), this.told);
    this.rows = [];
    this.list = h("ol", { class: "steps", start: steps[0]?.n ?? 1 }, steps.slice(0, 500).map((step, k) => {
      const row = h("button", { type: "button", onclick: () => this.go(k + 1) }, h("span", { class: "n" }, String(step.n)), h("span", {}, shown(step.told)));
      this.rows.push(row);
      return h("li", { class: again && step.n >= again ? "again" : "" }, row);
    }), steps.length > 500 ? h("li", { class: "more" }, `and ${many(steps.length - 500, "step")} more`) : null);
    view.onredraw = () => this.stuck();
    this.show();
  }

  // The marking after step `at`, from the one that is shown: steps are undone and done one after the other.
  marked(at) {
    const add = (change, sign) => {
      for (const [place, n] of Object.entries(change)) this.marking[place] = (this.marking[place] ?? 0) + sign * n;
    };
    while (this.shown > at) add(this.steps[--this.shown].change, -1);
    while (this.shown < at) add(this.steps[this.shown++].change, 1);
    return this.marking;
  }

  numbers(ids) { return ids.map((id) => this.view.drawing.number.get(id)).filter((n) => n !== undefined); }

  forward() {
    if (this.at >= this.steps.length) return;
    const step = this.steps[this.at], entries = Object.entries(step.change), t = this.view.drawing.number.get(step.t);
    this.land();
    this.at += 1;
    if (calm() || t === undefined) return void this.show();
    const [inputs, outputs] = [entries.filter(([, n]) => n < 0), entries.filter(([, n]) => n > 0)].map((some) => this.numbers(some.map(([p]) => p)));
    const taken = { ...this.marked(this.at - 1) };
    for (const [place, n] of entries) if (n < 0) taken[place] += n;
    this.show(taken);
    this.flight = this.view.scene.fly(inputs, t, outputs, () => { this.flight = null; this.show(); });
  }

  back() { if (this.at > 0) this.go(this.at - 1); }

  go(at) {
    this.land();
    this.at = at;
    this.show();
  }

  // A token that is on its way arrives at once.
  land() {
    const end = this.flight;
    this.flight = null;
    end?.();
  }

  get over() { return this.at === this.steps.length && this.waits.length > 0; }

  show(marking = this.marked(this.at)) {
    const step = this.steps[this.at - 1], stuck = this.over;
    const fired = step ? this.numbers([step.t]) : [];
    this.view.mark(marking, [["fired", stuck ? [] : fired], ["waiting", stuck ? this.numbers(this.waits.flatMap((w) => [w.transition, w.place])) : []]]);
    this.stuck();
    const seen = stuck ? this.numbers(this.waits.slice(0, 1).map((w) => w.transition)) : fired;
    if (seen.length) this.view.reveal(seen[0]);
    this.count.textContent = `step ${this.at} of ${this.steps.length}`;
    const again = this.again && step && step.n >= this.again ? "again and again: " : "";
    this.told.textContent = stuck ? shown(`${step ? `${step.told}. ` : ""}Nothing can move: ${this.waits.slice(0, 3).map((w) => `${w.who} waits for ${w.resource}`).join(", ")}${this.waits.length > 3 ? ", …" : "."}`)
      : step ? shown(again + step.told) : this.steps.length ? "The start. Step forward to see how it comes about." : "The initial marking.";
    this.told.classList.toggle("bad", stuck);
    this.rows.forEach((row, k) => row.setAttribute("aria-current", k === this.at - 1 ? "step" : "false"));
    const row = this.rows[this.at - 1];
    if (row) this.list.scrollTop = Math.max(0, row.offsetTop - this.list.clientHeight / 2);
    else if (!this.at) this.list.scrollTop = 0;
    this.buttons.forEach((b, k) => { b.disabled = k < 2 ? this.at === 0 : this.at === this.steps.length; });
    this.bar.dataset.at = this.at;
  }

  // In the end: an arrow from each branch that waits to what it waits for.
  stuck() {
    const { scene, drawing } = this.view;
    if (!this.over) return void scene.extra.replaceChildren();
    const seen = new Set(), arrows = [];
    for (const w of this.waits) {
      const [t, pool] = this.numbers([w.transition, `r.${w.resource}`]);
      if (t === undefined || pool === undefined) continue;
      const key = `${drawing.shownAs(t)}>${pool}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const arrow = scene.upright(pool, drawing.shownAs(t));
      arrow.setAttribute("class", "stuck");
      arrow.setAttribute("marker-end", "url(#stuck)");
      arrows.push(arrow);
    }
    scene.extra.replaceChildren(...arrows);
  }

  key(event) {
    const act = { ArrowRight: () => this.forward(), ArrowLeft: () => this.back(), Home: () => this.go(0), End: () => this.go(this.steps.length) }[event.key];
    if (!act || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }
}
