"""The hook of this repository, run by pre-commit in the repository of somebody who knows only the README."""

from __future__ import annotations

import re
import shutil

import pytest

from tests import tools
from tests.e2e.petri import ROOT, SAMPLES
from tests.e2e.scratch_repository import Repository, offline, this_tree

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("git") is None, reason="there is no git"),
]
README = (ROOT / "README.md").read_text(encoding="utf-8")
INVERTED = (SAMPLES / "lock-inversion.petri.yaml").read_text(encoding="utf-8")
ORDERED = (SAMPLES / "ordered-locks.petri.yaml").read_text(encoding="utf-8")


def configuration() -> str:
    """What the README says to write into .pre-commit-config.yaml."""
    found = re.search(r"^```yaml\n# \.pre-commit-config\.yaml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert found, "the README has a block that begins with # .pre-commit-config.yaml"
    return found[1]


INSTALL = "pre-commit install -t pre-commit -t pre-merge-commit"
"""As the README has it."""


def test_the_readme_says_how_the_hooks_are_installed() -> None:
    assert f"`{INSTALL}`" in README


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """A repository with the hook, as the README says, beside a clone of this one; its environments are made once."""
    folder = tmp_path_factory.mktemp("newcomer")
    env = {**offline(tools.wheels()), "PRE_COMMIT_HOME": str(folder / "home")}
    this_tree(folder / "petri")
    repository = Repository(folder / "theirs", env)
    repository.write(".pre-commit-config.yaml", configuration())
    repository.write("notes.txt", "nothing to judge\n")
    repository.must(f"git add --all && git commit --quiet --message start && {INSTALL}")
    return repository


def test_a_newcomers_commit_of_a_plan_that_can_get_stuck_is_refused_and_shown_why(theirs: Repository) -> None:
    theirs.write("plans/train.petri.yaml", INVERTED)
    refused = theirs.run("git add --all && git commit --message 'train and export'")
    assert refused.code == 1, refused
    assert "petri analyze" in refused.err
    assert "`train` holds db and waits for gpu; `export` holds gpu and waits for db." in refused.err
    assert theirs.must("git log --format=%s") == "start\n"

    theirs.must("petri analyze --fix plans/train.petri.yaml")
    accepted = theirs.run("git add --all && git commit --message 'train and export, in order'")
    assert accepted.code == 0, accepted
    assert theirs.must("git log --format=%s").startswith("train and export, in order\n")


def test_a_pull_request_that_went_round_the_hook_is_refused_where_it_is_checked(theirs: Repository) -> None:
    theirs.must("git checkout --quiet -b proposal main")
    theirs.write("plans/other.petri.yaml", INVERTED)
    theirs.write("plans/good.petri.yaml", ORDERED)
    theirs.must("git add --all && git commit --quiet --no-verify --message 'nobody looks'")
    refused = theirs.run("pre-commit run --from-ref main --to-ref proposal")
    assert refused.code == 1, refused
    assert "UNSOUND  plans/other.petri.yaml" in refused.out
    assert "2 files: 1 sound, 1 unsound" in refused.out, "one call judges all files of the change"
    theirs.must("git checkout --quiet main && git branch --quiet -D proposal")


BOTH = """\
resources: [{id: db, capacity: 1}, {id: gpu, capacity: 1}]
flow:
  parallel:
    - guard: {resource: [db], body: {task: {id: one, run: echo}}}
    - task: {id: between, run: echo}
    - task: {id: further, run: echo}
    - task: {id: still, run: echo}
    - guard: {resource: [gpu], body: {task: {id: two, run: echo}}}
"""


def within(outer: str, inner: str, task: str) -> str:
    inside = f"{{guard: {{resource: {inner}, body: {{task: {{id: {task}, run: echo}}}}}}}}"
    return f"    - guard: {{resource: {outer}, body: {inside}}}"


def test_a_merge_of_two_branches_that_are_sound_each_for_itself_is_refused(theirs: Repository) -> None:
    one = "    - guard: {resource: [db], body: {task: {id: one, run: echo}}}"
    two = "    - guard: {resource: [gpu], body: {task: {id: two, run: echo}}}"
    theirs.write("plans/both.petri.yaml", BOTH)
    theirs.must("git add --all && git commit --quiet --message both && git checkout --quiet -b branch")
    theirs.write("plans/both.petri.yaml", BOTH.replace(one, within("db", "gpu", "one")))
    theirs.must("git commit --quiet --all --message 'gpu within db' && git checkout --quiet main")
    theirs.write("plans/both.petri.yaml", BOTH.replace(two, within("gpu", "db", "two")))
    theirs.must("git commit --quiet --all --message 'db within gpu'")
    refused = theirs.run("git merge --no-edit branch")
    assert refused.code == 1, refused
    assert "UNSOUND  plans/both.petri.yaml" in refused.out + refused.err
    theirs.must("git merge --abort && git branch --quiet -D branch")


def test_a_commit_without_plans_is_none_of_its_business(theirs: Repository) -> None:
    theirs.write("notes.txt", "still nothing\n")
    done = theirs.run("git add --all && git commit --message notes")
    assert done.code == 0, done
    assert "no files to check" in done.err


def test_the_hook_looks_at_the_files_that_a_folder_is_searched_for() -> None:
    import yaml

    from petri_cli.cli.inputs import ENDINGS

    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    pattern = re.compile(hook["files"])
    assert all(pattern.search(f"plans/release{ending}") for ending in ENDINGS)
    assert not any(pattern.search(name) for name in ("a.yaml", "a.petri.yamlx", "a.petri", "petri.yaml", "a.pnml.txt"))
