"""What an editor makes of a plan: a YAML language server, as editors use it, reads it beside its schema."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from petri_cli.cli.init import templates
from tests import tools
from tests.e2e.petri import petri
from tests.tools.lsp import LanguageServer

STEPS = ["task", "seq", "parallel", "choice", "loop", "foreach", "guard"]
LINE = "# yaml-language-server: $schema=plan.schema.json\n"
"""What ``petri init`` writes first; lines of the documents below count from the next."""


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LanguageServer]:
    """A server in a folder with the schemas where ``petri init`` says to write them."""
    folder = tmp_path_factory.mktemp("editor")
    for name in ("plan", "net"):
        (folder / f"{name}.schema.json").write_text(petri("schema", name, cwd=folder).out, encoding="utf-8")
    server = LanguageServer(tools.language_server(), folder)
    yield server
    assert server.close() == 0


class Document:
    """A plan that is open in an editor. A ``|`` in its text is where the cursor is."""

    def __init__(self, editor: LanguageServer, text: str) -> None:
        before, _, after = text.partition("|")
        self.editor, self.name = editor, f"{abs(hash(text))}.petri.yaml"
        self.line = before.count("\n") + 2
        self.column = len(before.rpartition("\n")[2]) + 1
        self.wrong = [
            (d["range"]["start"]["line"], d["range"]["start"]["character"] + 1, d["message"])
            for d in editor.open(self.name, LINE + before + after)
        ]

    @property
    def offered(self) -> dict[str, str]:
        """What is offered at the cursor: label → the text that is put in."""
        items = self.editor.completions(self.name, self.line, self.column)
        return {label: item["insertText"] for label, item in items.items()}

    @property
    def explained(self) -> str:
        return self.editor.hover(self.name, self.line, self.column)


@pytest.mark.parametrize(
    "text",
    [
        "flow:\n  |\n",
        "flow:\n  |",
        "flow:\n  s|\n",
        "flow:\n  seq:\n    - |\n",
        "flow:\n  seq:\n    - task: {id: a}\n    - |\n",
        "flow:\n  parallel:\n    - |\n",
        "flow:\n  parallel:\n    branches:\n      - |\n",
        "flow:\n  loop:\n    id: a\n    body:\n      |\n",
        "flow:\n  guard:\n    resource: r\n    body:\n      |\nresources: []\n",
        "flow:\n  choice:\n    - when: ${a.ok}\n      body:\n        |\n",
        "flow:\n  foreach:\n    id: a\n    over: []\n    body:\n      seq:\n        - |\n",
    ],
)
def test_where_a_step_belongs_its_seven_kinds_are_offered_and_nothing_else(editor: LanguageServer, text: str) -> None:
    assert list(Document(editor, text).offered) == STEPS


def test_a_branch_of_a_choice_is_a_step_or_has_a_condition(editor: LanguageServer) -> None:
    offered = Document(editor, "flow:\n  choice:\n    - |\n").offered
    assert list(offered) == ["when", "name", "body", *STEPS]


def test_a_kind_of_step_comes_with_what_it_must_have_and_little_else_indented_for_where_it_is(
    editor: LanguageServer,
) -> None:
    offered = Document(editor, "flow:\n  |\n").offered
    assert offered["task"] == "task:\n  id: ${1:build}\n  run: ${2:make}"
    assert offered["guard"] == "guard:\n  resource: ${1:lock}\n  body:\n    $2"
    assert offered["seq"] == "seq:\n  - "
    in_a_list = Document(editor, "flow:\n  seq:\n    - |\n").offered
    assert in_a_list["task"] == "task:\n    id: ${1:build}\n    run: ${2:make}"
    assert in_a_list["loop"].splitlines()[1:] == [
        "    id: ${1:again}",
        "    until: ${2:${tests.ok}}",
        "    maxIterations: ${3:5}",
        "    body:",
        "      $4",
    ]


def test_the_keys_that_a_task_has_not_got_yet_are_offered(editor: LanguageServer) -> None:
    offered = Document(editor, "flow:\n  task:\n    id: a\n    maxAttempts: 3\n    |\n").offered
    assert {"run", "python", "verify", "timeout", "retry"} <= set(offered)
    assert not {"id", "maxAttempts", "body", "task"} & set(offered)


def test_words_that_a_key_can_have_are_offered(editor: LanguageServer) -> None:
    assert {"exit-code", "human", "command", "files"} <= set(
        Document(editor, "flow:\n  task:\n    id: a\n    verify: |\n").offered
    )
    loop = "flow:\n  loop:\n    id: a\n    body: {task: {id: b}}\n    onExhausted: |\n"
    assert set(Document(editor, loop).offered) == {"fail", "exit"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("flow:\n  gua|rd:\n    resource: r\n    body: {task: {id: a}}\n", "Hold units of one or more resources"),
        ("flow:\n  task:\n    id: a\n    max|Attempts: 3\n", "How often the work is tried"),
        ("resources:\n  - id: r\n    capa|city: 2\nflow: {task: {id: a}}\n", "How many units there are"),
        ("flo|w:\n  task: {id: a}\n", "A step: exactly one of the keys"),
    ],
)
def test_a_key_is_explained_with_an_example(editor: LanguageServer, text: str, told: str) -> None:
    explained = Document(editor, text).explained
    assert told in explained
    assert "Example:" in explained


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ('flow:\n  task:\n    id: a\n    maxAttempts: "3"\n', 4, 18, 'Incorrect type. Expected "integer".'),
        ("flow:\n  task:\n    id: a\n    verifi: human\n", 4, 5, "Property verifi is not allowed."),
        ("flow:\n  seq:\n    - task: {id: a}\n    - taks: {id: b}\n", 4, 7, "Property taks is not allowed."),
        ("resources: [{id: r}]\nflow: {task: {id: a}}\n", 1, 13, 'Missing property "capacity".'),
        ("flow:\n  seq: []\n", 2, 8, "Array has too few items. Expected 1 or more."),
        ("flow:\n  seq:\n    - task: {id: a}\n      guard: {resource: r, body: {task: {id: b}}}\n", 3, 7,
         "Object has more properties than limit of 1."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_marked_where_it_stands_and_said_once(
    editor: LanguageServer, text: str, line: int, column: int, message: str
) -> None:
    assert Document(editor, text).wrong == [(line, column, message)]


def test_a_step_that_is_missing_is_missed_where_it_belongs(editor: LanguageServer) -> None:
    assert Document(editor, "flow:\n  loop:\n    id: a\n    body:\n").wrong == [
        (4, 10, 'Incorrect type. Expected "step".')
    ]


@pytest.mark.parametrize("name", templates())
def test_an_editor_has_nothing_against_what_init_writes(editor: LanguageServer, name: str, tmp_path: Path) -> None:
    text = petri("init", "-", "--template", name, cwd=tmp_path).out
    assert text.startswith("# yaml-language-server: $schema=")
    assert editor.open(f"{name}.petri.yaml", text) == []
