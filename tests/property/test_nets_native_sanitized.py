"""The compiled core under the sanitizers of the C compiler: no byte out of bounds, no undefined behaviour, no leak."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sanitizers import under_sanitizers

SCRIPT = """
from tests.property import test_nets_native as examples
states = sum(examples.compare_random_nets(seed) for seed in range(int(sys.argv[3])))
for megabytes in (0, 1, 2, 4):
    examples.test_a_search_that_may_hold_no_more_ends_with_what_it_has(megabytes)
for bits in (1, 2, 3, 7, 8, 31, 62, 63, 64):
    examples.test_counts_around_the_width_of_any_field_are_the_same(bits)
examples.any_memory_is_enough_or_refused(300)
examples.test_numbers_that_tell_no_net_are_refused()
print(states)
"""


@pytest.mark.slow
def test_random_nets_and_scarce_memory_upset_no_sanitizer(tmp_path: Path) -> None:
    assert under_sanitizers(tmp_path, Path("petri_cli/soundness/native"), SCRIPT, "60") > 1000
