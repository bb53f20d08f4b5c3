// One analysed file.

const SIGNS = { SOUND: "✓", UNSOUND: "✗", UNKNOWN: "?" };
const ENDS = { deadlock: "How it gets stuck", cannotComplete: "How the end gets out of reach", improperCompletion: "How something is left behind", deadTransition: "", unbounded: "How tokens grow without bound", property: "How it gets there" };

function badge(word) {
  const kind = word || "INVALID";
  return h("span", { class: `badge ${kind.toLowerCase()}` }, `${SIGNS[kind] ?? "✗"} ${kind}`);
}

function problems(title, found) {
  if (!found?.length) return null;
  return section(title, h("ul", { class: "plain problems" }, found.map((p) => h("li", {}, p.line ? h("span", { class: "line" }, `${p.line}:${p.column}`) : null,
    h("span", {}, sentence(p.text), p.hint ? h("span", { class: "dim" }, " ", sentence(p.hint)) : null, " ", h("code", {}, shown(p.code)))))));
}

function excerpt(lines) {
  if (!lines?.length) return null;
  const rows = [];
  lines.forEach((line, k) => {
    if (k && line.n > lines[k - 1].n + 1) rows.push(h("div", { class: "gap" }, "⋯"));
    rows.push(h("div", { class: line.marked ? "marked" : "" }, h("span", { class: "n" }, String(line.n)), h("code", {}, shown(line.text) || " ")));
  });
  return section("In the file", h("div", { class: "excerpt", tabindex: 0, role: "region", "aria-label": "Lines of the file" }, rows));
}

function fixes(file) {
  const found = file.fixes ?? [];
  if (!found.length && !file.notes?.length) return null;
  return section("Ways out", found.length ? h("p", { class: "dim" }, "Each of these edits alone was made, read again, and proved to make the plan SOUND.") : null,
    h("ul", { class: "plain fixes" }, found.map((f) => h("li", {}, h("span", { class: "tag" }, f.kind), h("span", {}, sentence(f.text), h("span", { class: "dim" }, ` line ${f.lines.join(", ")}`))))),
    (file.notes ?? []).slice(0, 3).map((text) => h("p", { class: "dim" }, shown(text))),
    found.length ? h("p", { class: "dim" }, h("code", {}, "petri analyze --fix"), " makes the first.") : null);
}

function proof(file) {
  if (!file.verdict) return null;
  const signs = new Map([[true, "✓"], [false, "✗"], [null, "?"]]);
  const conditions = (file.conditions ?? []).map((c) => h("li", { class: c.holds === true ? "good" : c.holds === false ? "bad" : "" }, `${signs.get(c.holds)} `, shown(c.name), c.detail ? h("span", { class: "dim" }, ` ${shown(c.detail)}`) : null));
  const figures = Object.entries(file.figures ?? {}).map(([name, value]) => h("span", { class: "figure" }, `${shown(name)} `, h("b", {}, value.toLocaleString("en"))));
  return section("What it rests on", h("ul", { class: "plain" }, conditions), (file.detail ?? []).slice(0, 8).map((text) => h("p", {}, shown(text))),
    file.assumptions?.length ? h("p", { class: "dim" }, `Assumed: ${shown(file.assumptions.join("; "))}.`) : null, h("p", { class: "figures" }, figures));
}

function showFile(file) {
  const drawing = file.drawing ? new Drawing(file.drawing) : null;
  const waits = file.waits ?? [];
  const eager = waits.flatMap((w) => [w.transition, w.place]).concat((file.steps ?? []).slice(-20).map((step) => step.t));
  const left = file.drawing?.left ? `Not drawn: ${file.drawing.left.toLocaleString("en")} places and transitions that the run does not touch.` : "";
  const view = drawing ? new View(drawing, { eager, note: [file.note, left].filter(Boolean).join(" ") }) : null;
  const stepper = view && file.steps?.length ? new Stepper(view, file.steps, { again: file.again, waits }) : null;
  const by = file.verdict === "SOUND" ? `by ${file.evidence}${file.scope ? `, for ${file.scope}` : ""}` : file.verdict === "UNKNOWN" ? file.evidence : "";
  const head = h("header", { class: `verdict ${(file.verdict || "invalid").toLowerCase()}` }, h("div", { class: "row" }, badge(file.verdict), h("h1", {}, shown(file.file)), h("span", { class: "dim" }, shown(by))),
    file.sentence ? h("p", { class: "sentence" }, sentence(file.sentence)) : file.message ? h("p", { class: "sentence" }, sentence(file.message), file.remedy ? h("span", { class: "dim" }, ` ${shown(file.remedy)}`) : null) : null);
  const length = stepper ? `${many(file.steps.length, "step")}${file.shortest ? ", no run is shorter" : ""}` : "";
  const aside = [stepper ? section(ENDS[file.end] || "The run", h("p", { class: "dim" }, length), stepper.list) : null, whoWaits(waits), fixes(file), problems("Problems", file.problems), excerpt(file.lines),
    problems("Warnings", file.warnings), proof(file), !view && file.note ? section("The net", h("p", {}, shown(file.note))) : null].filter(Boolean);
  const main = view ? h("div", { class: `stage${stepper ? " stepped" : ""}` }, view.element, stepper?.bar) : null;
  return { element: h("article", {}, head, h("div", { class: view ? "split" : "single" }, main, h("div", { class: "side" }, aside))), view, stepper };
}
