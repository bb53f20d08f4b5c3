// A session: where it stands, when everything ran, and what its history suggests.

const PHASES = { completed: "✓", running: "▶", waiting: "·", suspended: "·", failed: "✗", deadlocked: "✗", cancelled: "✗" };

function progress({ done, total, exact }) {
  if (!total) return null;
  const share = done / total;
  return h("div", { class: "progress" }, s("svg", { viewBox: "0 0 1000 10", preserveAspectRatio: "none", role: "img", "aria-label": `${done} of ${total} tasks done` },
    s("rect", { width: 1000, height: 10, class: "all" }), s("rect", { width: 1000 * share, height: 10, class: "done" })), h("span", {}, `${done.toLocaleString("en")} of ${exact ? "" : "at least "}${many(total, "task")} done`));
}

function holders(data) {
  const rows = (data.holders ?? []).filter((r) => r.held.length);
  if (!rows.length) return null;
  return section("Who holds what", h("ul", { class: "plain" }, rows.map((r) => h("li", {}, h("b", {}, shown(r.resource)), ` ${r.free} of ${r.capacity} free`,
    r.held.slice(0, 8).map((x) => h("div", { class: "dim" }, shown(`${x.units} by ${x.guard}${x.inside.length ? `: ${x.inside.slice(0, 4).join(", ")}` : ""}`)))))));
}

function taskTable(tasks) {
  if (!tasks?.length) return null;
  const open = tasks.filter((t) => !(t.exact && t.done === t.total));
  if (!open.length) return null;
  const word = (t) => [t.running && `${t.running} running`, t.reported && `${t.reported} reported`, t.ready && `${t.ready} ready`, t.resting && `${t.resting} resting`, t.later && `${t.later} later`, t.blocked && `${t.blocked} out of attempts`].filter(Boolean).join(", ");
  return section("Tasks that are not done", h("ul", { class: "plain" }, open.slice(0, 40).map((t) => h("li", { class: t.blocked ? "bad" : "" }, h("b", {}, shown(t.task)), ` ${t.done} of ${t.total}${t.exact ? "" : "+"} `, h("span", { class: "dim" }, word(t))))));
}

const interval = ({ lower, upper }, digits = 3) => (lower === upper ? Number(lower.toFixed(digits)) : `${Number(lower.toFixed(digits))} to ${upper === null ? "?" : Number(upper.toFixed(digits))}`);

function conformance(title, fit) {
  if (!fit) return null;
  const head = fit.fitness ? h("p", {}, "Fitness ", h("b", {}, String(interval(fit.fitness))), `, ${interval(fit.fittingCases, 0)} of ${many(fit.ended, "case")} fit.`) : h("p", { class: "dim" }, "No case has come to its end yet.");
  return section(title, fit.verdict ? h("p", {}, badge(fit.verdict), ` ${shown(fit.file)}`) : null, head, h("ul", { class: "plain" }, fit.deviations.slice(0, 20).map((d) => h("li", {}, h("b", {}, shown(d.activity)), " ",
    [d.extra && `${d.extra} too many`, d.skipped && `${d.skipped} too few`, !d.known && "unknown to the plan"].filter(Boolean).join(", "), h("span", { class: "dim" }, ` in ${many(d.cases, "case")}`)))));
}

function adaptations(found) {
  if (!found?.adaptations) return null;
  const rows = found.adaptations.map((a) => h("li", {}, h("div", {}, h("span", { class: "tag" }, shown(a.kind)), " ", h("b", {}, shown(a.target)), a.suggested === null ? null : ` ${shown(JSON.stringify(a.current))} → ${shown(JSON.stringify(a.suggested))}`),
    h("div", { class: "dim" }, sentence(a.rationale))));
  return section("What the history suggests", rows.length ? h("ul", { class: "plain suggestions" }, rows) : h("p", { class: "dim" }, "Nothing in these logs suggests another number."));
}

function whatIf(found) {
  const w = found?.whatIf;
  if (!w) return null;
  const span = (x) => `${seconds(x.mean)} (${seconds(x.low)} to ${seconds(x.high)})`;
  const name = Object.entries(w.changes).map(([r, n]) => `${r} = ${n}`).join(", ");
  return section("What if", h("p", {}, h("b", {}, shown(name)), `, in ${many(w.runs, "simulated run")}`), h("p", {}, `Before ${span(w.before)}, after ${span(w.after)}.`));
}

function variants(found) {
  if (!found?.variants?.length) return null;
  const most = Math.max(...found.variants.map((v) => v.cases));
  const rows = found.variants.map(({ cases, trace }) => {
    const runs = [];
    for (const task of trace) {
      if (runs.at(-1)?.task === task) runs.at(-1).n += 1;
      else runs.push({ task, n: 1 });
    }
    return h("li", {}, s("svg", { viewBox: "0 0 100 10", class: "share", "aria-hidden": "true", preserveAspectRatio: "none" }, s("rect", { width: (100 * cases) / most, height: 10, rx: 2 })),
      h("span", { class: "cases" }, many(cases, "case")), h("span", { class: "chain" }, runs.length ? runs.slice(0, 60).map(({ task, n }) => h("span", { class: "chip" }, shown(task), n > 1 ? h("b", {}, ` ×${n}`) : null)) : h("span", { class: "dim" }, "nothing yet")));
  });
  return section("Variants", h("ul", { class: "plain variants" }, rows), found.moreVariants ? h("p", { class: "dim" }, `and ${found.moreVariants} more`) : null);
}

// How far each task is, on the plan.
function flags(drawing, tasks) {
  const by = new Map((tasks ?? []).map((t) => [t.task, t]));
  const marked = { done: [], active: [], blocked: [] };
  drawing.transitions.forEach((t, k) => {
    if (t.kind !== "task") return;
    const row = by.get(t.label.replace(/(\[\d+\])+$/, ""));
    if (!row) return;
    const kind = row.blocked ? "blocked" : row.running || row.reported ? "active" : row.total && row.done >= row.total ? "done" : "";
    if (kind) marked[kind].push(drawing.first + k);
  });
  return Object.entries(marked);
}

function showSession(data) {
  const drawing = data.drawing ? new Drawing(data.drawing) : null;
  const marks = drawing ? flags(drawing, data.tasks) : [];
  const view = drawing ? new View(drawing, { note: data.tasks ? "A foreach whose items are found on the way is drawn with one. Green is done, blue is under way, red is out of attempts." : "" }) : null;
  view?.mark(data.holders ? Object.fromEntries(data.holders.map((r) => [`r.${r.resource}`, r.free])) : drawing.initial, marks);
  const found = data.insights;
  const facts = [data.revision ? `revision ${data.revision.number}, ${data.revision.verdict}${data.revision.by ? ` by ${data.revision.by}` : ""}` : "", data.began ? `since ${data.began}, ${seconds(data.spent)}` : "",
    found ? `${many(found.sessions.length, "case")} looked at` : ""].filter(Boolean).join(" · ");
  const head = h("header", { class: `verdict ${data.state}` }, h("div", { class: "row" }, data.state ? h("span", { class: `badge ${data.state}` }, `${PHASES[data.state]} ${data.state}`) : null, h("h1", {}, shown(data.session)), h("span", { class: "dim" }, shown(facts))),
    data.objective ? h("p", { class: "sentence" }, shown(data.objective)) : null, data.why && data.why !== data.state && !(data.missing ?? []).includes(data.why) ? h("p", {}, shown(data.why)) : null,
    (data.missing ?? []).slice(0, 5).map((text) => h("p", { class: "bad" }, shown(text))), data.progress ? progress(data.progress) : null);
  const wide = [adaptations(found), conformance("The plan and its history", found?.conformance), conformance("The other plan", found?.candidate), whatIf(found), variants(found), gantt(data), resources(data)].filter(Boolean);
  const narrow = [retries(data), taskTable(data.tasks), holders(data), data.steps?.length ? section("Steps", h("ol", { class: "log" }, data.steps.map((text) => h("li", {}, shown(text))))) : null].filter(Boolean);
  const body = narrow.length ? h("div", { class: "split" }, h("div", {}, wide), h("div", { class: "side" }, narrow)) : h("div", {}, wide);
  return { element: h("article", {}, head, body, view ? h("div", { class: "plan" }, view.element) : null), view };
}
