"""The criteria of the execution contract, in our words: section → (what it is about, number → what must hold)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Section(NamedTuple):
    """One requirement; ``removed`` ones are kept so that numbers stay what they are."""

    title: str
    criteria: Mapping[int, str]
    removed: bool = False


SECTIONS: Mapping[str, Section] = {
    "001": Section(
        "The loop",
        {
            1: "completions, external events, enablement, deadlines, firing: in this order in every cycle",
            2: "nothing fires before completions are processed",
            3: "external events are applied before enablement is updated",
        },
    ),
    "002": Section(
        "Order of firing",
        {
            1: "higher priority first",
            2: "then the transition that was enabled first (general path)",
            3: "then the one declared first",
            4: "all backends order alike, and choose alike between the general and the fast path",
        },
    ),
    "003": Section(
        "Conflicts",
        {
            1: "the higher priority takes the token, the lower one is disabled",
            2: "one that is not ready reserves nothing",
            3: "a loser is judged by what the pass has consumed, not by what it produced",
            4: "cardinality gates and correlated joins do not count deposits of the same pass",
            5: "draining and reset arcs leave deposits of the same pass",
        },
    ),
    "010": Section(
        "FIFO consumption",
        {
            1: "`one` takes the oldest",
            2: "`exactly 2` takes the two oldest",
            3: "`all` takes everything, in order",
        },
    ),
    "011": Section("Guarded consumption", {}, removed=True),
    "012": Section("Read arcs", {1: "the oldest token is given to the action, all tokens stay"}),
    "013": Section(
        "Reset arcs",
        {
            1: "every token of the place is removed",
            2: "an empty place is no error",
            3: "the clock of a transition that needs the place restarts",
            4: "reads are peeked before resets empty",
        },
    ),
    "020": Section(
        "Deposition",
        {1: "a token lands at the end of its queue", 2: "several tokens for a place keep their order"},
    ),
    "021": Section(
        "Validation of outputs",
        {
            1: "`and`: all children received tokens",
            2: "`xor`: exactly one did; the branch that explains everything wins over one inside it",
            3: "a violation is a failure event",
            4: "every backend validates",
        },
    ),
    "022": Section(
        "Action time-outs",
        {
            1: "an action that ends in time is validated as usual",
            2: "one that does not is abandoned; the time-out branch receives tokens, and an event tells",
            3: "a forward gives one token for each token consumed, in order",
            4: "what the action wrote before is discarded",
        },
    ),
    "030": Section(
        "Failure",
        {1: "an event with message and type", 2: "consumed tokens are lost", 3: "other transitions go on"},
    ),
    "031": Section("No rollback", {1: "after a failure the consumed tokens are in no place"}),
    "040": Section(
        "Quiescence",
        {1: "a chain ends with its token at the end", 2: "actions in flight are waited for"},
    ),
    "041": Section("The result", {1: "it holds the marking after quiescence", 2: "with every place that has tokens"}),
    "050": Section(
        "Stale detection (a pattern, shown as a sample)",
        {
            1: "a read arc gives the time stamp of the shared state",
            2: "the action compares it with the consumed token's",
            3: "stale data goes to the discard branch of a xor",
        },
    ),
}
