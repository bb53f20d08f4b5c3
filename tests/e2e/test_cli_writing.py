"""``-o FILE``: the ending says the format, and nothing of another kind is written over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.petri import SAMPLES, petri

PLAN = "name: release\nflow: {seq: [{task: {id: a, run: 'true'}}, {task: {id: b, run: 'true'}}]}\n"
OTHER = "# mine, by hand\nname: other\nflow: {task: {id: x, run: 'true'}}\n"
LOG = "case,activity\n1,a\n1,b\n2,a\n2,b\n"
NET = "kind: net\nid: n\nplaces: [{id: i, tokens: 1}, o]\ntransitions: [{id: a, inputs: [i], output: o}]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A plan that was run once, and files of each kind."""
    (tmp_path / "plan.petri.yaml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "log.csv").write_text(LOG, encoding="utf-8")
    assert petri("run", "plan.petri.yaml", "-q", cwd=tmp_path).code == 0
    return tmp_path


def contents(kind: str) -> bytes:
    return {
        "plan": OTHER.encode(),
        "broken.petri": b"flwo: {task: a}\n",
        "net": NET.encode(),
        "log": LOG.encode(),
        "json plan": b'{"name": "x", "flow": {"task": "a"}}',
        "notes": b"what I know\n",
        "picture": b"\x89PNG\r\n\x1a\n\0\0",
        "json": b'{"name": "x", "scripts": {}}',
    }[kind]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("export", "release", "-o", "other.petri.yaml"), "a name in .yaml says yaml, which this is not written as"),
        (("export", "release", "-o", "x.foo"), "a name in .foo says no format"),
        (("export", "release", "-o", "x"), "the name says no format"),
        (("export", "release", "-o", "x.gz"), "the name says no format"),
        (("export", "release", "-f", "csv", "-o", "x.xes"), "a name in .xes says xes, and --format says csv"),
        (("export", "--all-sessions", "-o", "x.json"), "(call it .xes, .csv or .jsonl)"),
        (("export", "plan.petri.yaml", "-o", "x.txt"), "a name in .txt says no format"),
        (("export", "plan.petri.yaml", "-o", "x.csv"), "a name in .csv says csv, which this is not written as"),
        (("export", "plan.petri.yaml", "-f", "dot", "-o", "x.svg"), "a name in .svg says svg, and --format says dot"),
        (("export", "plan.petri.yaml", "-f", "pnml", "-o", "x.pnml.gz"), "says that it is packed"),
        (("export", "plan.petri.yaml", "--plan", "-o", "x.dot"), "a name in .dot says dot"),
        (("mine", "log.csv", "-o", "x.foo"), "a name in .foo says no format"),
        (("mine", "log.csv", "-o", "x"), "the name says no format"),
        (("mine", "log.csv", "-o", "x.xes"), "a name in .xes says xes"),
    ],
)
def test_a_name_that_says_no_format_or_another_one_is_refused(folder: Path, call: tuple[str, ...], said: str) -> None:
    before = sorted(folder.iterdir())
    done = petri(*call, cwd=folder)
    assert (done.code, done.out) == (2, "")
    assert "PETRI_CANNOT_WRITE" in done.err
    assert said in done.err
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("n.json", '{\n  "kind": "net"'), ("n.yaml", "kind: net"), ("n.YML", "kind: net"), ("n.pnml", "<?xml"),
        ("n.dot", "digraph"), ("n.mmd", "flowchart"), ("n.mermaid", "flowchart"), ("n.svg", "<svg"),
    ],
)  # fmt: skip
def test_the_ending_says_the_format_of_a_net(folder: Path, name: str, begins: str) -> None:
    for _ in range(2):  # what it wrote itself it writes again
        assert petri("export", "plan.petri.yaml", "-o", name, cwd=folder).code == 0
        assert (folder / name).read_text(encoding="utf-8").startswith(begins)


@pytest.mark.parametrize("name", ["p.yaml", "p.json"])
def test_the_ending_says_the_format_of_a_plan(folder: Path, name: str) -> None:
    assert petri("export", "plan.petri.yaml", "--plan", "-o", name, cwd=folder).code == 0
    assert (folder / name).read_text(encoding="utf-8").startswith("{") == name.endswith("json")
    assert petri("analyze", name, cwd=folder).code == 0


def test_what_is_no_file_and_what_a_format_was_said_for_may_have_any_name(folder: Path) -> None:
    assert petri("export", "release", "-o", "/dev/stdout", cwd=folder).out.startswith("<?xml")
    assert petri("export", "release", "-o", "/dev/null", cwd=folder).code == 0
    assert petri("export", "release", "-f", "csv", "-o", "x.txt", cwd=folder).code == 0
    assert (folder / "x.txt").read_text(encoding="utf-8").startswith("case_id,activity")


KINDS = ["plan", "broken.petri", "net", "log", "json plan", "notes", "picture", "json"]
CALLS = [
    (("export", "release"), "csv", {"log"}),
    (("export", "release"), "xes", {"log"}),
    (("export", "plan.petri.yaml"), "yaml", {"net"}),
    (("export", "plan.petri.yaml"), "json", {"net"}),
    (("export", "plan.petri.yaml"), "svg", set()),
    (("export", "plan.petri.yaml", "--plan"), "yaml", {"plan", "broken.petri", "json plan"}),
    (("mine", "log.csv"), "yaml", {"plan", "broken.petri", "json plan"}),
    (("mine", "log.csv"), "pnml", {"net"}),
    (("mine", "log.csv", "--algorithm", "dfg"), "dot", set()),
    (("analyze", "plan.petri.yaml"), "txt", {"notes"}),
    (("analyze", "plan.petri.yaml", "--format", "json"), "json", {"notes"}),
    (("analyze", "plan.petri.yaml", "--certificate"), "json", set()),
]


@pytest.mark.slow
@pytest.mark.parametrize(("call", "ending", "own"), CALLS, ids=[" ".join([*c, e]) for c, e, _ in CALLS])
def test_a_file_of_another_kind_is_written_over_only_by_force(
    folder: Path, call: tuple[str, ...], ending: str, own: set[str]
) -> None:
    for kind in KINDS:
        name = f"there.petri.{ending}" if kind == "broken.petri" else f"there.{ending}"
        if kind == "broken.petri" and ending not in ("yaml", "json"):
            continue
        words = [*call, name] if "--certificate" in call else [*call, "-o", name]
        before = contents(kind)
        (folder / name).write_bytes(before)
        done = petri(*words, cwd=folder)
        if kind in own:
            assert done.code == 0, (kind, done.err)
            continue
        assert done.code == 2, (kind, done.out)
        assert "PETRI_FILE_EXISTS" in done.err, kind
        assert (folder / name).read_bytes() == before
        assert petri(*words, "--force", cwd=folder).code == 0, kind
        assert (folder / name).read_bytes() != before
        assert petri(*words, cwd=folder).code == 0, "what it wrote is of its own kind"


def test_events_of_a_run_do_not_land_on_a_plan(folder: Path) -> None:
    (folder / "other.petri.yaml").write_text(OTHER, encoding="utf-8")
    for name in ("other.petri.yaml", "plan.petri.yaml"):
        before = (folder / name).read_bytes()
        done = petri("run", "plan.petri.yaml", "--simulate", "--events", name, cwd=folder)
        assert done.code == 2
        assert "PETRI_FILE_EXISTS" in done.err or "PETRI_CANNOT_WRITE" in done.err
        assert (folder / name).read_bytes() == before
    for _ in range(2):
        assert petri("run", "plan.petri.yaml", "--simulate", "--events", "run.jsonl", cwd=folder).code == 0


@pytest.mark.parametrize("how", ["same", "hard", "link"])
def test_an_input_is_not_written_over_by_whatever_name_even_by_force(folder: Path, how: str) -> None:
    (folder / "in.json").write_bytes(contents("json plan"))
    name = "in.json" if how == "same" else "again.json"
    if how == "hard":
        (folder / name).hardlink_to(folder / "in.json")
    elif how == "link":
        (folder / name).symlink_to("in.json")
    for call in (
        ("export", "in.json"), ("mine", "log.csv", "--model", "in.json"), ("analyze", "in.json", "--format", "json"),
    ):  # fmt: skip
        done = petri(*call, "-o", name, "--force", cwd=folder)
        assert done.code == 2
        assert "this would write over an input" in done.err
        assert (folder / "in.json").read_bytes() == contents("json plan")


def test_the_store_is_not_written_over(folder: Path) -> None:
    before = (folder / ".petri/petri.db").read_bytes()
    for call in (("export", "release", "-f", "csv"), ("export", "plan.petri.yaml", "-f", "json"), ("analyze", ".")):
        done = petri(*call, "-o", ".petri/petri.db", cwd=folder)
        assert done.code == 2
        assert "input" in done.err or "there is a store of sessions in this file" in done.err
        assert (folder / ".petri/petri.db").read_bytes() == before


@pytest.mark.parametrize("sample", sorted(p.name for p in SAMPLES.iterdir() if p.is_file()))
def test_every_sample_is_of_the_kind_that_it_is(sample: str) -> None:
    from petri_cli.cli.overwriting import kind_there

    kind = kind_there(str(SAMPLES / sample))
    if sample.endswith((".csv", ".xes", ".jsonl")):
        assert kind == "log"
    elif sample.endswith(".pnml"):
        assert kind == "net"
    elif sample.endswith(".yaml"):
        assert kind == ("text" if "durations" in sample else "net" if "nets" in sample else "plan")


def test_a_session_goes_before_a_folder_of_its_name(folder: Path) -> None:
    (folder / "release").mkdir()
    assert petri("export", "release", "-f", "csv", cwd=folder).out.startswith("case_id")
    assert petri("mine", "release", cwd=folder).code == 0
    assert petri("insights", "release", cwd=folder).code == 0


def test_without_a_name_the_ending_says_that_the_live_session_is_meant(folder: Path) -> None:
    assert petri("export", "-o", "out.csv", cwd=folder).code == 0
    assert (folder / "out.csv").read_text(encoding="utf-8").startswith("case_id")
    assert petri("export", cwd=folder).out.startswith("<?xml")
    done = petri("export", "-o", "out.pnml", cwd=folder)
    assert done.code == 2
    assert "name a plan or a net" in done.err
