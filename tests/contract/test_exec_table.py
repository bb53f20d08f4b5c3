"""``docs/contract.md`` says which test checks which criterion, and is right."""

from __future__ import annotations

from tests.contract.criteria import SECTIONS
from tests.contract.table import PAGE, by_criterion, contract_page


def test_every_criterion_has_a_test_and_every_test_a_criterion() -> None:
    criteria = {(section, number) for section, s in SECTIONS.items() for number in s.criteria}
    tested = {c for c in by_criterion() if c[1]}
    assert tested == criteria
    assert {section for section, _ in by_criterion()} == set(SECTIONS)


def test_the_table_is_what_the_generator_writes() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert contract_page(text) == text, "run make docs"
