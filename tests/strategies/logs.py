"""Random event logs, with names that break careless readers and writers."""

from __future__ import annotations

from array import array

from hypothesis import strategies as st

from petri_cli.mining.log import NO_TIME, Log, Times, log_of

NAMES = st.one_of(
    st.sampled_from(
        [
            "a",
            "b",
            "c",
            "NA",
            "null",
            "nan",
            "None",
            "007",
            "7",
            "1e2",
            "-",
            " a ",
            "a,b",
            'a"b',
            "'",
            "=1+1",
            "<a>",
            "&amp;",
        ]
    ),
    st.sampled_from(
        ["a\nb", "a\r\nb", "\r", "\t", "\0", "\x01", "\x0b", "\x1c", "\x85", "\u2028", "\ufeff", "\ufffe", "終了", "😀"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5),
)
"""Not empty; any character but half a surrogate pair."""

TICKS = st.one_of(
    st.integers(-62_135_596_800_000_000, 253_402_300_799_999_999),
    st.sampled_from([-1, 0, -1_000_001, 1_000, 1_700_000_000_000_000, 1_700_000_000_123_456]),
)


@st.composite
def logs(draw: st.DrawFn, *, empty_cases: bool = False) -> Log:
    """A log of few cases, each with events in the order of time, or with none of them timed."""
    alphabet = draw(st.lists(NAMES, min_size=1, max_size=5, unique=True))
    trace = st.lists(st.sampled_from(alphabet), min_size=0 if empty_cases else 1, max_size=6)
    traces = draw(st.lists(trace, max_size=6))
    ids = draw(st.lists(NAMES, min_size=len(traces), max_size=len(traces), unique=True))
    log = log_of(traces, ids)
    times = _times(draw, [len(t) for t in traces]) if draw(st.booleans()) else None
    return Log(log.activities, log.variants, log.counts, log.cases, log.variant_of, times)


def _times(draw: st.DrawFn, sizes: list[int]) -> Times | None:
    ended, began, resource = array("q"), array("q"), array("i")
    resources: dict[str, int] = {}
    for size in sizes:
        if draw(st.booleans()):
            ended.extend(sorted(draw(st.lists(TICKS, min_size=size, max_size=size))))
        else:
            ended.extend([NO_TIME] * size)
        begins = draw(st.lists(st.one_of(st.just(NO_TIME), TICKS), min_size=size, max_size=size))
        began.extend(min(b, e) if e != NO_TIME else b for b, e in zip(begins, ended[len(began) :], strict=True))
        for name in draw(st.lists(st.one_of(st.just(""), NAMES), min_size=size, max_size=size)):
            resource.append(resources.setdefault(name, len(resources)) if name else -1)
    outcome, outcomes = array("i"), dict[str, int]()
    for name in draw(st.lists(st.one_of(st.just(""), NAMES), min_size=len(ended), max_size=len(ended))):
        outcome.append(outcomes.setdefault(name, len(outcomes)) if name else -1)
    with_outcome = bool(outcomes) and draw(st.booleans())
    with_began = any(t != NO_TIME for t in began) and draw(st.booleans())
    with_resource = bool(resources) and draw(st.booleans())
    if not (with_began or with_resource or with_outcome or any(t != NO_TIME for t in ended)):
        return None
    return Times(
        ended, began if with_began else None, resource if with_resource else None,
        tuple(resources) if with_resource else (), outcome if with_outcome else None,
        tuple(outcomes) if with_outcome else (),
    )  # fmt: skip
