// Reads the data, shows the page, and gives keys to what is on it.

function themeButton() {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const button = tool("Dark or light", "theme", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    button.setAttribute("aria-pressed", String(dark()));
  });
  button.setAttribute("aria-pressed", String(dark()));
  return button;
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const page = document.getElementById("page"), body = h("main", { id: "main" });
  let here = null;
  const show = (made) => {
    here = made;
    body.replaceChildren(made.element);
    made.view?.fit();
  };
  const top = h("div", { class: "top" }, h("a", { class: "skip", href: "#main" }, "To the report"), h("span", { class: "brand" }, "petri"), h("span", { class: "room" }));
  if (data.kind === "analysis" && data.files.length > 1) {
    const pick = h("select", { "aria-label": "File", onchange: () => show(showFile(data.files[Number(pick.value)])) },
      data.files.map((f, k) => h("option", { value: k }, `${SIGNS[f.verdict] ?? "✗"} ${shown(f.file)}`)));
    const worst = ["UNSOUND", "", "UNKNOWN", "SOUND"].map((v) => data.files.findIndex((f) => f.verdict === v)).find((k) => k >= 0);
    pick.value = worst;
    top.append(pick);
    show(showFile(data.files[worst]));
  } else if (data.kind === "analysis") {
    show(data.files.length ? showFile(data.files[0]) : { element: h("p", {}, "No file was judged.") });
  } else if (data.kind === "net") {
    show(showNet(data));
  } else {
    show(showSession(data));
  }
  top.append(themeButton());
  page.replaceChildren(top, body, h("footer", {}, `petri ${shown(data.version)}`, here.view ? ` · ${here.stepper ? "← → step, " : ""}+ − zoom, f fit, / search` : ""));
  here.view?.fit();
  addEventListener("resize", () => here.view?.fit());
  addEventListener("keydown", (event) => {
    if (event.target.closest?.("input, select, textarea")) return;
    if (event.key === "/" && here.view) {
      event.preventDefault();
      here.view.find.focus();
      return;
    }
    here.stepper?.key(event);
    if (!event.defaultPrevented && here.view && ["+", "-", "=", "f"].includes(event.key)) here.view.key(event);
  });
  document.documentElement.dataset.ready = "yes";
}

function showNet(data) {
  const view = new View(new Drawing(data.drawing), { note: [data.note, data.drawing.left ? `Not drawn: ${data.drawing.left.toLocaleString("en")} places and transitions.` : ""].filter(Boolean).join(" ") });
  const counts = `${many(data.drawing.places.length, "place")}, ${many(data.drawing.transitions.length, "transition")}`;
  return { element: h("article", {}, h("header", { class: "verdict" }, h("div", { class: "row" }, h("h1", {}, shown(data.name)), h("span", { class: "dim" }, counts))), h("div", { class: "whole" }, view.element)), view };
}

start();
