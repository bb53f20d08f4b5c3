"""The pages of ``docs/codes``: one for each code, with an example that provokes it and a way out that holds.

The first fenced document of a page is analysed as a user would have it analysed. It must come to the code of the page
and to no other error or verdict. What follows under «The way out» must be accepted, and be SOUND.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from petri_cli.api import Analysis, analyze_data
from petri_cli.soundness.result import Verdict

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "codes"
TITLE = "## The way out"

NO_FILE_PROVOKES = {
    "PETRI_BAD_CALL": "about tools for agents",
    "PETRI_OUTSIDE_FOLDER": "about tools for agents",
    "PETRI_NO_MCP": "about an extra",
    "PETRI_BAD_CERTIFICATE": "about --recheck",
    "PETRI_NO_CERTIFICATE": "about --certificate",
    "PETRI_ALREADY_DECIDED": "about a session",
    "PETRI_BAD_BINDING": "actions are bound to a net in Python",
    "PETRI_BAD_STORE": "about --store",
    "PETRI_BAD_TIME": "about --at",
    "PETRI_BAD_DATA": "the document was made in Python",
    "PETRI_BAD_LOG": "about a store",
    "PETRI_BAD_SESSION_ID": "about the name of a session",
    "PETRI_BAD_SCHEMA": "about a plan that is committed",
    "PETRI_CANNOT_START": "about a program that a plan starts",
    "PETRI_CANNOT_EDIT": "about a change of a plan",
    "PETRI_CANNOT_WRITE": "about an output",
    "PETRI_CLAIM_ENDED": "about a session",
    "PETRI_LLM_FAILED": "about a language model",
    "PETRI_LLM_MISSING": "about what is installed",
    "PETRI_LLM_SETTING": "about the environment",
    "PETRI_CONTROL_CHARACTER": "a page is text, which cannot hold the character",
    "PETRI_EXPRESSION_FAILED": "about the results of a run",
    "PETRI_FILE_EXISTS": "about an output of petri init",
    "PETRI_INTERNAL_FAULT": "no input is known to do it",
    "PETRI_INTERRUPTED": "Ctrl-C",
    "PETRI_LOG_CLASSIFIER": "about a log",
    "PETRI_LOG_COLUMNS": "about a log",
    "PETRI_LOG_CSV": "about a log",
    "PETRI_LOG_DUPLICATE_CASE": "about a log",
    "PETRI_LOG_ENCODING": "about a log",
    "PETRI_LOG_EVENT": "about a log",
    "PETRI_LOG_FORMAT": "about a log",
    "PETRI_LOG_GZIP": "about a log",
    "PETRI_LOG_LIFECYCLE": "about a log",
    "PETRI_LOG_ORDER": "about a log",
    "PETRI_LOG_POLARS": "about a log",
    "PETRI_LOG_TIME": "about a log",
    "PETRI_LOG_UNNAMED": "about a log",
    "PETRI_NEEDS_VERIFIER": "about a plan that is committed",
    "PETRI_NET_TOO_LARGE": "about a net to be written; a verdict unfolds no more than it needs",
    "PETRI_NOTHING_FOUND": "about a folder",
    "PETRI_NO_APPROVAL": "about a session",
    "PETRI_NO_COMPLETE_RUN": "about a log and a net",
    "PETRI_NO_FOLDER": "about the folder that a command is called in",
    "PETRI_NO_PLAN": "about a session",
    "PETRI_NO_SESSIONS": "about a store",
    "PETRI_NOT_A_NET": "said by load_net alone",
    "PETRI_NOT_A_PLAN": "said where only a plan will do",
    "PETRI_NOT_CLAIMABLE": "about a session",
    "PETRI_NOT_INJECTABLE": "about a session",
    "PETRI_NOT_JSON": "about the result of a task",
    "PETRI_NOT_PT_NET": "about a net to be written as PNML",
    "PETRI_NOT_UTF8": "a page is text in UTF-8",
    "PETRI_OWN_WORK": "about a session",
    "PETRI_PROPERTY_OF_A_PLAN": "an option and a file",
    "PETRI_REVISION_CONFLICT": "about the log of a session",
    "PETRI_REVISION_MISFIT": "about a plan and the work that was done under another one",
    "PETRI_SESSION_BUSY": "about a session",
    "PETRI_SESSION_ENDED": "about a session",
    "PETRI_STORE_BUSY": "about a store",
    "PETRI_STORE_CORRUPT": "about a store",
    "PETRI_STORE_EMPTIED": "about a store",
    "PETRI_STORE_FOREIGN": "about a store",
    "PETRI_STORE_FULL": "about a store",
    "PETRI_STORE_GONE": "about a store",
    "PETRI_STORE_IO": "about a store",
    "PETRI_STORE_JOURNAL": "about a store",
    "PETRI_STORE_NETWORK": "about a store",
    "PETRI_STORE_NEWER": "about a store",
    "PETRI_STORE_NOT_MOVED": "about a store",
    "PETRI_STORE_NO_ACCESS": "about a store",
    "PETRI_STORE_WAITING": "about a store",
    "PETRI_TOO_DEEP": "too deep to print",
    "PETRI_TOO_LARGE": "too large to print",
    "PETRI_TOO_MANY_PLACES": "about a log",
    "PETRI_UNKNOWN": "a budget and a file too large to print",
    "PETRI_UNKNOWN_CLAIM": "about a session",
    "PETRI_UNKNOWN_CODE": "about a call of petri explain",
    "PETRI_UNKNOWN_FOREACH": "about --width",
    "PETRI_UNKNOWN_SCHEMA": "about a call of petri schema",
    "PETRI_UNKNOWN_SESSION": "about the name of a session",
    "PETRI_UNKNOWN_TEMPLATE": "about a call of petri init",
    "PETRI_UNREADABLE_FILE": "about a file that cannot be read",
    "PETRI_WHICH_SESSION": "about a store",
}
"""Codes without a document that provokes them, and why."""

BESIDE = {"PETRI_PRIORITY_IGNORED": {"PETRI_PROPERTY_VIOLATED"}}
"""Warnings about the run of a refusal, which never come without its code."""


OF_WORK = {"PETRI_ATTEMPT", "PETRI_CLAIM", "PETRI_ITEM", "PETRI_PROCESS", "PETRI_SESSION", "PETRI_TASK"}
"""Variables of the environment that a piece of work finds."""
OF_MODELS = {f"PETRI_LLM_{name}" for name in ("BASE_URL", "MODEL", "API_KEY", "TIMEOUT", "PRICE")}
VARIABLES = {*OF_WORK, *OF_MODELS, "PETRI_PURE", "PETRI_SELF_CHECK", "PETRI_STORE"}
"""They look like codes."""


def codes_in_the_source() -> set[str]:
    text = "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "petri_cli").rglob("*.py"))
    return set(re.findall(r"\bPETRI_[A-Z0-9]+(?:_[A-Z0-9]+)*\b(?!_)", text)) - VARIABLES


@dataclass(frozen=True)
class Page:
    """A page in parts: its documents as (language, text), above and below the title of the way out."""

    code: str
    text: str
    before: tuple[tuple[str, str], ...]
    after: tuple[tuple[str, str], ...]


def page(path: Path) -> Page:
    text = path.read_text(encoding="utf-8")
    before, _, after = text.partition(f"\n{TITLE}\n")
    return Page(path.stem, text, documents(before), documents(after))


def documents(part: str) -> tuple[tuple[str, str], ...]:
    return tuple(re.findall(r"^```(yaml|json|xml)\n(.*?)^```$", part, re.MULTILINE | re.DOTALL))


def analysed(language: str, text: str) -> Analysis:
    name = {"yaml": "example.petri.yaml", "json": "example.petri.json", "xml": "example.pnml"}[language]
    return analyze_data(text.encode(), name)


def codes(analysis: Analysis) -> set[str]:
    """Everything that is said of a document: errors, warnings, and the code of a verdict."""
    result = analysis.result
    found = {p.code for p in (*analysis.problems, *(result.warnings if result else ()))}
    return found | ({result.code} if result and result.code else set())


PAGE = {p.stem: page(p) for p in sorted(PAGES.glob("*.md"))}
"""Every page, by its code."""


def test_every_code_in_the_source_has_a_page_and_every_page_a_code() -> None:
    assert codes_in_the_source() == set(PAGE)


def test_the_variables_of_work_are_explained() -> None:
    text = (ROOT / "docs" / "work.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`(PETRI_[A-Z]+)`", text)) >= OF_WORK


def test_the_codes_without_a_document_exist_and_say_why() -> None:
    assert set(NO_FILE_PROVOKES) <= set(PAGE)
    assert all(NO_FILE_PROVOKES.values())


@pytest.mark.parametrize("code", PAGE)
def test_a_page_is_titled_by_its_code_explains_it_and_shows_the_way_out(code: str) -> None:
    lines = PAGE[code].text.splitlines()
    assert lines[:2] == [f"# {code}", ""]
    assert re.match(r"[A-Z`]", lines[2]), "the paragraph that the index takes its sentence from"
    assert lines.count(TITLE) == 1
    assert lines[-1].strip() and lines[lines.index(TITLE) + 2].strip()


@pytest.mark.parametrize("code", PAGE)
def test_the_first_document_of_a_page_provokes_its_code_and_nothing_else(code: str) -> None:
    shown = PAGE[code].before
    assert bool(shown) != (code in NO_FILE_PROVOKES)
    for document in shown:
        assert codes(analysed(*document)) == {code} | BESIDE.get(code, set())


@pytest.mark.parametrize("code", [c for c in PAGE if PAGE[c].after])
def test_the_document_of_the_way_out_is_sound_and_nothing_is_said_against_it(code: str) -> None:
    for document in PAGE[code].after:
        found = analysed(*document)
        assert codes(found) == set()
        assert found.result is not None and found.result.verdict is Verdict.SOUND
