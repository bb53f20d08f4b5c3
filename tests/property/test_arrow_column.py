"""A column of numbers is the same numbers as an array, however it lies in memory."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.formats.arrow_column import numbers

polars = pytest.importorskip("polars", reason="Polars is the extra [fast]")

PIECES = st.lists(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=9), min_size=1, max_size=4)


@pytest.mark.slow
@given(pieces=PIECES, begin=st.integers(0, 12), wide=st.booleans())
@settings(deadline=None, derandomize=True, max_examples=100)
def test_pieces_and_slices_of_a_column_become_the_same_array(pieces: list[list[int]], begin: int, wide: bool) -> None:
    kind = polars.Int64 if wide else polars.Int32
    whole = polars.concat([polars.Series("n", piece, dtype=kind) for piece in pieces], rechunk=False)
    column = whole.slice(begin, 7)
    found = numbers(column)
    assert found.typecode == ("q" if wide else "i")
    assert found.tolist() == column.to_list()


@pytest.mark.parametrize("values", [[1, None], ["1"], [1.0]])
def test_what_is_no_column_of_integers_is_refused(values: list[object]) -> None:
    with pytest.raises(TypeError, match="no plain column of integers"):
        numbers(polars.Series("n", values))
