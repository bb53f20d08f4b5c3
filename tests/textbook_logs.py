"""Small logs of the textbooks, each activity one letter: ``abcd^3 acbd^2``."""

from __future__ import annotations

from collections.abc import Mapping

from petri_cli.mining.log import Log, log_of


def letters(text: str) -> Log:
    """A log from words with counts; ``-`` is a case without events."""
    traces: list[str] = []
    for part in text.split():
        word, _, n = part.partition("^")
        traces += ["" if word == "-" else word] * int(n or 1)
    return log_of(traces)


L1 = "abcd^3 acbd^2 aed^1"
L5 = "abef^2 abecdbf^3 abcedbf^2 abcdebf^4 aebcdbf^3"
L7 = "ac^2 abc^3 abbc^2 abbbbc^1"
L8 = "abd^3 abcbd^2 abcbcbd^1"
L11 = "abc^20 ac^30"
CROSSED = "sabt sact sxbt"
FULL = (
    "acdeh^455 abdeg^191 adceh^177 abdeh^144 acdeg^111 adceg^82 adbeh^56 acdefdbeh^47 adbeg^38 acdefbdeh^33 "
    "acdefbdeg^14 acdefdbeg^11 adcefcdeh^9 adcefdbeh^8 adcefbdeg^5 acdefbdefdbeg^3 adcefdbeg^2 adcefbdefbdeg^2 "
    "adcefdbefbdeh^1 adbefbdefdbeg^1 adcefdbefcdefdbeg^1"
)
"""1,391 cases of a claim (van der Aalst, "Process Mining", 2016, chapter 8)."""

TEXTBOOK: Mapping[str, str] = {
    "L1": L1,
    "L5": L5,
    "L7": L7,
    "L8": L8,
    "L11": L11,
    "crossed": CROSSED,
    "full": FULL,
}
