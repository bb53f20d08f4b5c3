"""Every execution scenario comes out as its file says, and the adapter notices when it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.scenarios import Unreadable, judge, main, read

FOLDER = Path(__file__).parents[1] / "golden" / "engine"
FILES = sorted(FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_scenario(path: Path) -> None:
    assert judge(read(path)) == []


def spoilt(expect: dict[str, Any]) -> list[dict[str, Any]]:
    """``expect`` with one thing wrong, once for each thing that is expected."""
    wrong: dict[str, Any] = {"order": ["nobody"], "order_any": [["nobody"]], "reason": "never", "minted": ["#"]}
    more = []
    for key, value in expect.items():
        match key:
            case "final" | "final_sorted":
                bad: Any = {**value, "nowhere": [1]}
            case "at":
                bad = {t: [ms + 1 for ms in times] for t, times in value.items()}
            case "count" | "sum_count":
                bad = [[kind, name, n + 1] for kind, name, n in value]
            case "returns":
                bad = [*value, True]
            case "event_seq":
                bad = [*value, ["TransitionFailed", "nobody"]]
            case "calls":
                bad = [*value, value[0]]
            case "error":
                continue
            case _:
                bad = wrong[key]
        more.append({**expect, key: bad})
    return more


@pytest.mark.parametrize("path", [p for p in FILES if "clock: real" not in p.read_text(encoding="utf-8")], ids=str)
def test_a_wrong_expectation_is_noticed(path: Path) -> None:
    scenario = read(path)
    for expect in spoilt(scenario["expect"]):
        assert judge({**scenario, "expect": expect}) != []


def test_a_net_that_builds_is_noticed_when_a_refusal_is_expected() -> None:
    scenario = read(FOLDER / "T10-priority-descending-with-negatives.yaml")
    assert judge({**scenario, "expect": {"error": "build"}}) != []


def test_what_the_adapter_does_not_know_is_an_error_not_a_pass() -> None:
    scenario = read(FOLDER / "T10-priority-descending-with-negatives.yaml")
    for change in ({"options": {"speed": 2}}, {"script": ["dance"]}, {"expect": {"mood": 1}}, {"colour": 1}):
        with pytest.raises(Unreadable):
            judge({**scenario, **change})


def test_a_folder_is_summed_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = (FOLDER / "T06-one-firing-per-transition-per-pass.yaml").read_text(encoding="utf-8")
    (tmp_path / "a.yaml").write_text(good, encoding="utf-8")
    (tmp_path / "b.yaml").write_text(good.replace("ph: [1, 2, 3]", "ph: [3, 2, 1]"), encoding="utf-8")
    (tmp_path / "c.yaml").write_text("id: c\n", encoding="utf-8")
    assert main(str(tmp_path)) == 1
    out = capsys.readouterr().out
    assert "b: virtual clock: final: expected {'ph': [3, 2, 1]" in out
    assert out.endswith("1 passed, 2 failed\n")
    assert main(str(FOLDER)) == 0
