"""The compiled scanners under the sanitizers of the C compiler: no byte out of bounds, no undefined behaviour."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sanitizers import under_sanitizers

SCRIPT = """
from tests.property import test_log_scanners as examples
print(sum(examples.compare_mutations(seed, 500) for seed in range(10, 14)))
examples.many_of_everything()
examples.test_a_file_cut_off_anywhere_is_refused_alike()
examples.test_timestamps_are_understood_alike()
examples.test_any_log_is_read_alike()
examples.test_events_are_brought_into_order_and_collapsed_alike()
examples.test_a_scanner_refuses_what_it_is_not_made_for()
examples.test_numbers_that_are_no_order_are_refused()
"""


@pytest.mark.slow
def test_broken_files_upset_no_sanitizer(tmp_path: Path) -> None:
    assert under_sanitizers(tmp_path, Path("petri_cli/formats/native"), SCRIPT) > 200
