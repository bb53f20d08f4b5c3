"""Pages in a real browser: as wide as the screen, without an error, with nothing fetched, and usable by keys."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from petri_cli.api import analyze_data
from petri_cli.render.html.verdict import report
from petri_cli.render.page import Page
from petri_cli.soundness.fixes import KINDS
from tests import browser as chromium
from tests.e2e.petri import ROOT, SAMPLES, petri
from tests.e2e.test_cli_pages import RETRY

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(
        chromium.program() is None and not chromium.wanted(), reason="no Chromium: apt install chromium"
    ),
]

SHOTS = ROOT / "build" / "screenshots"
"""What the pages look like, for whoever wants to see it."""
TOKENS = """Object.fromEntries([...document.querySelectorAll('[data-tokens]')].filter((g) => g.dataset.tokens !== '0')
  .map((g) => [g.querySelector('title').textContent, Number(g.dataset.tokens)]))"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[chromium.Browser]:
    with chromium.browser(tmp_path_factory.mktemp("profile")) as running:
        yield running


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages that are looked at, by name."""
    folder = tmp_path_factory.mktemp("pages")
    petri("analyze", SAMPLES / "lock-inversion.petri.yaml", "-o", "inversion.html", cwd=folder)
    petri("analyze", SAMPLES, "-o", "all.html", cwd=folder)
    petri("export", SAMPLES / "release.petri.yaml", "-o", "plan.html", cwd=folder)
    (folder / "retry.petri.yaml").write_text(RETRY, encoding="utf-8")
    petri("run", "retry.petri.yaml", cwd=folder)
    (folder / "session.html").write_text(petri("status", "--format", "html", cwd=folder).out, encoding="utf-8")
    (folder / "insights.html").write_text(petri("insights", "--format", "html", cwd=folder).out, encoding="utf-8")
    return {path.stem: path for path in folder.glob("*.html")}


def judged(folder: Path, text: str, name: str = "plan.petri.yaml") -> Path:
    """The page about a plan."""
    out: list[str] = []
    report([analyze_data(text.encode(), name, fixes=KINDS)], Page(out.append))
    path = folder / "page.html"
    path.write_text("".join(out), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", ["inversion", "session", "insights", "plan", "all"])
def test_a_page_fits_says_no_error_and_fetches_nothing(
    browser: chromium.Browser, pages: dict[str, Path], name: str, dark: bool, width: int
) -> None:
    with browser.page(pages[name], width, dark=dark) as tab:
        assert tab.js("document.documentElement.scrollWidth") <= width
        background = tab.js("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, background[4:-1].split(","))) < 200) is dark
        # what is wider than the page is cut off unless it scrolls: nothing but the picture and the lines may
        wide = tab.js(
            "[...document.querySelectorAll('body *')].filter((e) => !e.closest('svg, .excerpt, .skip') && "
            f"e.getBoundingClientRect().right > {width + 1}).map((e) => e.outerHTML.slice(0, 100))"
        )
        assert wide == []
        tab.press("End")
        tab.screenshot(SHOTS / f"{name}-{'dark' if dark else 'light'}-{width}.png")
        assert tab.errors == []
        assert tab.requests == [pages[name].resolve().as_uri()]


def test_stepping_by_keys_leads_to_the_marking_of_the_deadlock_and_back(
    browser: chromium.Browser, pages: dict[str, Path]
) -> None:
    dead = {"p.guard.g1.body": 1, "p.guard.g3.body": 1}
    result = analyze_data((SAMPLES / "lock-inversion.petri.yaml").read_bytes(), "a.petri.yaml").result
    assert result is not None and result.counterexample is not None
    assert {p: n for p, n in result.counterexample.marking.items() if n} == dead
    with browser.page(pages["inversion"]) as tab:
        start = tab.js(TOKENS)
        assert start == {"p.start": 1, "resource db": 1, "resource gpu": 1}
        tab.press("ArrowRight")
        assert tab.js(TOKENS) == {"p.par.1.1.todo": 1, "p.par.1.2.todo": 1, "resource db": 1, "resource gpu": 1}
        tab.press("ArrowRight", "ArrowRight")
        assert tab.js(TOKENS) == dead
        assert "Nothing can move: train waits for gpu, export waits for db." in tab.js(
            "document.querySelector('.told').textContent"
        )
        waiting = (
            "[...document.querySelectorAll('.transition.waiting title')].map((t) => t.textContent.split('\\n')[0])"
        )
        assert sorted(tab.js(waiting)) == ["t.guard.g2.acquire", "t.guard.g4.acquire"]
        assert tab.js("document.querySelectorAll('.extra path.stuck').length") == 2
        tab.press("ArrowRight")  # there is nothing behind the last step
        assert tab.js(TOKENS) == dead
        tab.press("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft")
        assert tab.js(TOKENS) == start
        tab.press("End")
        assert tab.js(TOKENS) == dead
        tab.press("Home")
        assert tab.js(TOKENS) == start


def test_tokens_move_where_motion_is_welcome_and_a_second_key_does_not_wait_for_them(
    browser: chromium.Browser, pages: dict[str, Path]
) -> None:
    with browser.page(pages["inversion"], still=False) as tab:
        tab.js("window.flew = 0; new MutationObserver((all) => { for (const m of all) for (const n of m.addedNodes) "
               "flew += n.classList?.contains('flying') ?? 0; }).observe(document.querySelector('.net > g'), "
               "{ childList: true })")  # fmt: skip
        tab.press("ArrowRight", "ArrowRight", "ArrowRight")
        tab.until("document.querySelectorAll('.flying').length === 0")
        assert tab.js("flew") == 3 + 3 + 3
        assert tab.js(TOKENS) == {"p.guard.g1.body": 1, "p.guard.g3.body": 1}


def test_blocks_fold_by_keys_and_search_opens_what_hides_the_hit(
    browser: chromium.Browser, pages: dict[str, Path]
) -> None:
    with browser.page(pages["plan"]) as tab:
        shown = "[...document.querySelectorAll('.transition.task text')].map((t) => t.textContent)"
        assert "tests" in tab.js(shown)
        tab.js("[...document.querySelectorAll('.frame.guard .button')].find((g) => "
               "g.getAttribute('aria-label').includes('repo_lock')).focus()")  # fmt: skip
        tab.press("Enter")
        assert "tests" not in tab.js(shown)
        assert tab.js("document.activeElement.getAttribute('aria-expanded')") == "false"
        tab.press("Enter")
        assert "tests" in tab.js(shown)
        tab.js("document.querySelector('[title=\"Fold all\"]').click()")
        assert tab.js(shown) == []
        tab.js("document.querySelector('.net').focus()")
        tab.press("/")
        tab.call("Input.insertText", text="ask_for")
        assert tab.js("document.querySelector('.found').textContent") == "1 of 1"
        assert "ask_for_help" in tab.js(shown)
        assert tab.js("document.querySelector('.hit text').textContent") == "ask_for_help"


def test_the_theme_can_be_chosen(browser: chromium.Browser, pages: dict[str, Path]) -> None:
    with browser.page(pages["session"]) as tab:
        paper = "getComputedStyle(document.body).backgroundColor"
        light = tab.js(paper)
        tab.js("document.querySelector('[title=\"Dark or light\"]').click()")
        assert tab.js(paper) != light
        tab.js("document.querySelector('[title=\"Dark or light\"]').click()")
        assert tab.js(paper) == light


@pytest.mark.parametrize("name", ["inversion", "session", "plan", "all"])
def test_everything_to_press_and_every_picture_has_a_name(
    browser: chromium.Browser, pages: dict[str, Path], name: str
) -> None:
    with browser.page(pages[name]) as tab:
        nameless = tab.js(
            "[...document.querySelectorAll('button, [role=button], [role=img], input, select, [role=group]')]"
            ".filter((e) => !(e.getAttribute('aria-label') || (e.tagName === 'BUTTON' && e.textContent.trim())))"
            ".map((e) => e.outerHTML.slice(0, 120))"
        )
        assert nameless == []


def test_hostile_names_stay_text_and_the_policy_lets_nothing_out(browser: chromium.Browser, tmp_path: Path) -> None:
    name = (
        "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\x1b[31m\u202e"
    )
    plan = json.dumps(
        {
            "name": name,
            "objective": name,
            "resources": [{"id": "a", "capacity": 1}],
            "flow": {
                "guard": {
                    "resource": "a",
                    "body": {"guard": {"resource": "a", "body": {"task": {"id": "t", "name": name}}}},
                }
            },
        }
    )
    with browser.page(judged(tmp_path, plan, f"{name}.petri.json")) as tab:
        assert not tab.js("document.title").startswith("owned")
        assert tab.js("document.querySelectorAll('img').length") == 0
        assert "\\u202e" in tab.js("document.querySelector('h1').textContent")
        assert (tab.errors, len(tab.requests)) == ([], 1)
        refused = tab.js(
            "new Promise((done) => { document.addEventListener('securitypolicyviolation', (e) => "
            "done(e.effectiveDirective)); const i = new Image(); i.src = 'http://127.0.0.1:9/x.png'; })"
        )
        assert refused == "img-src"
        inline = tab.js(
            "new Promise((done) => { const s = document.createElement('script'); s.textContent = 'window.owned = 1'; "
            "document.body.append(s); setTimeout(() => done(window.owned ?? 0), 50); })"
        )
        assert inline == 0


def test_two_thousand_tasks_load_folded_and_answer_at_once(browser: chromium.Browser, tmp_path: Path) -> None:
    lines = ["resources: [{id: db, capacity: 1}, {id: gpu, capacity: 1}]", "flow:", "  parallel:"]
    for k in range(200):
        lines += ["    - seq:", *(f"        - task: {{id: t{k}_{n}}}" for n in range(10))]
        if k in (50, 150):
            one, other = ("db", "gpu") if k == 50 else ("gpu", "db")
            body = f"{{guard: {{resource: {other}, body: {{task: {{id: w{k}}}}}}}}}"
            lines.append(f"        - guard: {{resource: {one}, body: {body}}}")
    path = judged(tmp_path, "\n".join(lines) + "\n")
    with browser.page(path, still=True) as tab:
        loaded = tab.js("performance.now()")
        assert tab.js("document.querySelectorAll('.folded').length") > 10
        assert tab.js("document.querySelectorAll('.net *').length") < 3_000

        def answers(act: str) -> float:
            measured: float = tab.js(
                f"(() => {{ const t = performance.now(); {act}; return performance.now() - t; }})()"
            )
            return measured

        press = "document.querySelector('[title^=\"{}\"]').click()"
        spent = {
            what: answers(press.format(what)) for what in ("To the end", "One step back", "Unfold all", "Fold all")
        }
        tab.js("document.querySelector('[type=search]').value = 't199_9'")
        spent["search"] = answers("document.querySelector('[type=search]').dispatchEvent(new Event('input'))")
        assert tab.js("document.querySelector('.hit text').textContent") == "t199_9"
    assert loaded < 10_000 and max(spent.values()) < 10_000, (loaded, spent)  # a second or two where nothing else runs
    assert spent["One step back"] < 2_000
