// Time from left to right: a row a piece of work with a bar an attempt, and below what each resource had in use.

const OUTCOMES = { verified: "passed", refused: "refused", lapsed: "lapsed", revoked: "taken back", open: "under way" };
const MOST_ROWS_SHOWN = 60;

function seconds(t) {
  if (t < 0.001) return "0 s";
  if (t < 1) return `${Math.round(t * 1000)} ms`;
  if (t < 60) return `${Number(t.toFixed(1))} s`;
  if (t < 3600) return `${Math.floor(t / 60)} min ${Math.round(t % 60)} s`;
  return t < 172800 ? `${Math.floor(t / 3600)} h ${Math.round((t % 3600) / 60)} min` : `${(t / 86400).toFixed(1)} days`;
}

// Round numbers of seconds, minutes, hours or days, a few of them.
function ticks(total) {
  const nice = [1, 2, 5].flatMap((m) => [0.001, 0.01, 0.1, 1].map((x) => m * x)).concat([10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 43200, 86400]).sort((a, b) => a - b);
  const most = innerWidth < 560 ? 3 : 6, step = nice.find((x) => total / x <= most) ?? Math.ceil(total / most / 86400) * 86400;
  return Array.from({ length: Math.floor(total / step) + 1 }, (_, k) => k * step);
}

const percent = (part, total) => `${total ? ((100 * part) / total).toFixed(3) : 0}%`;

function axis(total) {
  return h("div", { class: "lane axis", "aria-hidden": "true" }, h("span"), s("svg", { class: "track" }, ticks(total).map((t) => [
    s("line", { x1: percent(t, total), x2: percent(t, total), y1: 14, y2: 20 }),
    s("text", { x: percent(t, total), y: 11, class: `small${t ? t / total > 0.93 ? " ended" : " middle" : ""}` }, seconds(t))])), h("span"));
}

function gantt(data) {
  const bars = data.bars ?? [];
  if (!bars.length) return null;
  const total = Math.max(data.spent, ...bars.map((b) => b.to ?? b.from), 1e-6);
  const rows = new Map();
  for (const bar of bars) {
    if (!rows.has(bar.name)) rows.set(bar.name, []);
    rows.get(bar.name).push(bar);
  }
  const colours = new Map();
  for (const bar of bars) if (!colours.has(bar.task)) colours.set(bar.task, colours.size % 6);
  const lane = ([name, own]) => {
    const spent = own.reduce((sum, b) => sum + (b.to ?? total) - b.from, 0);
    const told = own.map((b) => `${OUTCOMES[b.outcome]} after ${seconds((b.to ?? total) - b.from)}`).join(", ");
    return h("div", { class: "lane" }, h("span", { class: "label", title: shown(name) }, shown(name)),
      s("svg", { class: "track", role: "img", "aria-label": shown(`${name}: from ${seconds(own[0].from)} on, ${told}`) },
        ticks(total).map((t) => s("line", { x1: percent(t, total), x2: percent(t, total), y1: 0, y2: 22, class: "grid" })),
        own.map((b) => s("g", {}, s("title", {}, shown([`${b.name}, attempt ${b.attempt}: ${OUTCOMES[b.outcome]}`, `${seconds(b.from)} to ${b.to === undefined ? "now" : seconds(b.to)}`, b.worker ? `by ${b.worker}` : "", b.reason ?? ""].filter(Boolean).join("\n"))),
          s("rect", { x: percent(b.from, total), width: percent(Math.max((b.to ?? total) - b.from, total / 400), total), y: 4, height: 14, rx: 3, class: `bar ${b.outcome} hue${colours.get(b.task)}` })))),
      h("span", { class: "spent" }, seconds(spent)));
  };
  const all = [...rows], shownRows = h("div", { class: "lanes" }, axis(total), all.slice(0, MOST_ROWS_SHOWN).map(lane));
  const more = all.length > MOST_ROWS_SHOWN ? h("button", { type: "button", onclick: () => { shownRows.append(...all.slice(MOST_ROWS_SHOWN).map(lane)); more.remove(); } }, `Show ${(all.length - MOST_ROWS_SHOWN).toLocaleString("en")} more`) : null;
  const seen = new Set(bars.map((b) => b.outcome));
  const legend = h("p", { class: "legend dim" }, Object.keys(OUTCOMES).filter((o) => seen.has(o)).map((o) => h("span", {}, s("svg", { viewBox: "0 0 14 14", class: "swatch", "aria-hidden": "true" }, s("rect", { width: 14, height: 14, rx: 3, class: `bar ${o} hue0` })), OUTCOMES[o])));
  return section("When it ran", legend, shownRows, more, data.moreBars ? h("p", { class: "dim" }, `${data.moreBars.toLocaleString("en")} earlier attempts are left out.`) : null);
}

function resources(data) {
  const used = (data.use ?? []).filter((u) => u.points.length);
  if (!used.length) return null;
  const total = Math.max(data.spent, 1e-6);
  return section("Resources in use", h("div", { class: "lanes" }, axis(total), used.map(({ resource, points }) => {
    const most = Math.max(...points.map(([, , capacity]) => capacity), 1), at = (t) => (1000 * t) / total, y = (n) => 40 - (36 * n) / most;
    let area = `M${at(points[0][0])} 40`, line = "", busy = 0;
    points.forEach(([t, n, capacity], k) => {
      const until = points[k + 1]?.[0] ?? total;
      area += `V${y(n)}H${at(until)}`;
      line += `M${at(t)} ${y(capacity)}H${at(until)}`;
      busy += n * (until - t);
    });
    const capacity = points.at(-1)[2], peak = Math.max(...points.map(([, n]) => n));
    const told = `${resource}: at most ${peak} of ${capacity} in use, ${Math.round((100 * busy) / Math.max(1e-9, most * total))} % on average`;
    return h("div", { class: "lane tall" }, h("span", { class: "label", title: shown(resource) }, shown(resource)),
      s("svg", { class: "track", viewBox: "0 0 1000 44", preserveAspectRatio: "none", role: "img", "aria-label": shown(told) }, s("title", {}, shown(told)),
        s("path", { d: `${area}V40Z`, class: "area" }), s("path", { d: line, class: "limit" })),
      h("span", { class: "spent" }, `${peak}/${capacity}`));
  })));
}

function retries(data) {
  const failed = (data.bars ?? []).filter((b) => b.outcome !== "verified" && b.outcome !== "open");
  if (!failed.length) return null;
  return section("Attempts that did not pass", h("ul", { class: "plain attempts" }, failed.slice(-40).reverse().map((b) => h("li", {}, h("span", { class: `tag ${b.outcome}` }, OUTCOMES[b.outcome]),
    h("span", {}, h("b", {}, shown(b.name)), ` attempt ${b.attempt}, after ${seconds((b.to ?? 0) - b.from)}`, b.reason ? h("span", { class: "dim" }, ` ${shown(b.reason)}`) : null)))),
    failed.length > 40 ? h("p", { class: "dim" }, `and ${failed.length - 40} earlier ones`) : null);
}
