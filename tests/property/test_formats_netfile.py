"""Net files in and out, the checker against the published schema, and random damage."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from petri_cli.document import from_data, read_document, scan_document
from petri_cli.errors import InputError, PetriError, Problem
from petri_cli.formats.netfile import net_to_data, parse_net, parse_property, property_text, write_net
from petri_cli.net.model import Net
from petri_cli.net.rules import check_net
from tests.strategies.nets import hostile_text, nets, properties, values

SCHEMA = json.loads(Path(__file__, "../../../schemas/net.schema.json").resolve().read_text())
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


@pytest.mark.slow
@settings(max_examples=80, deadline=None, derandomize=True)
@given(nets(extras=True, hostile=True))
def test_a_net_comes_back_as_it_was(net: Net) -> None:
    from_yaml, warnings = parse_net(read_document(write_net(net), "x.yaml"))
    from_json, _ = parse_net(read_document(json.dumps(net_to_data(net)), "x.json"))
    assert from_yaml == from_json == net
    assert repr(from_yaml.values) == repr(net.values) or not net.values
    assert all(w.code == "PETRI_NEVER_ENABLED" for w in warnings)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(nets(extras=True, hostile=True))
def test_what_is_written_fits_the_schema(net: Net) -> None:
    assert [e.message for e in VALIDATOR.iter_errors(net_to_data(net))] == []


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(hostile_text().filter(str.strip), min_size=1, max_size=4).map(tuple).flatmap(properties))
def test_a_property_in_one_line_comes_back_as_it_was(prop: Any) -> None:
    again = parse_property(property_text(prop))
    assert (again.kind, again.places, again.minimum, again.maximum) == (
        prop.kind,
        prop.places,
        prop.minimum,
        prop.maximum,
    )


BEYOND_THE_SCHEMA = {
    "PETRI_DUPLICATE_ID": "ids are unique among places, among transitions, and among properties",
    "PETRI_DUPLICATE_NAME": "a list of places names none twice",
    "PETRI_UNKNOWN_PLACE": "arcs, markings, matches, actions and properties name declared places",
    "PETRI_BAD_NET": "the rules of the model: forwards, windows, matches, passthrough, places of one `and`",
    "PETRI_BAD_PROPERTY": "one-line properties, and min ≤ max",
    "PETRI_TOO_DEEP": "output trees and token values nest at most 100 levels deep",
    "PETRI_NEVER_ENABLED": "a warning",
}
"""What the checker refuses though the schema has no way to say it; so too durations of 0 or of centuries, where they
are written with units. Everything else they must agree on."""

DURATIONS = ("deadline", "delayed", "exact", "window", "after")


def is_duration(path: str) -> bool:
    return path.rpartition(".")[2].partition("[")[0] in DURATIONS


def agree(data: Any) -> None:
    valid = VALIDATOR.is_valid(data)
    problems: list[Problem] = []
    try:
        parse_net(from_data(data))
    except InputError as error:
        problems = list(error.problems)
    ranges = [p for p in problems if p.code == "PETRI_OUT_OF_RANGE" and is_duration(p.where.path)]
    structural = [p for p in problems if p.code not in BEYOND_THE_SCHEMA and p not in ranges]
    told = [str(p) for p in problems] + [e.message for e in VALIDATOR.iter_errors(data)]
    assert not (structural and valid), told
    assert valid or structural or ranges, told


def nodes(data: Any) -> list[tuple[Any, Any]]:
    """Every (container, key or index) in ``data``."""
    found: list[tuple[Any, Any]] = []
    stack = [data]
    while stack:
        part = stack.pop()
        steps = list(part.items()) if isinstance(part, dict) else list(enumerate(part))
        found += [(part, step) for step, _ in steps]
        stack += [child for _, child in steps if isinstance(child, dict | list)]
    return found


WORDS = ["a", "b", "t1", "one", "all", "immediate", "passthrough", "fork", "5s", "1m30s", "0ms", "x:y", "", " ", "net"]
WORDS += ["placeBound:a<=1", "unreachable:a", "nonsense"]
KEYS = ["kind", "version", "id", "name", "places", "transitions", "final", "properties", "tokens", "environment"]
KEYS += ["inputs", "inhibitors", "reads", "resets", "output", "timing", "priority", "match", "action", "exactly"]
KEYS += ["atLeast", "place", "count", "and", "xor", "timeout", "after", "child", "forwardInput", "from", "to", "window"]
KEYS += [
    "deadline",
    "delayed",
    "exact",
    "shell",
    "python",
    "produce",
    "fork",
    "bound",
    "min",
    "max",
    "sinks",
    "a",
    "zz",
]
KEYS += ["placeBound", "quiescentCount", "deadlockFree", "unreachable"]


def random_value(rng: random.Random, depth: int = 2) -> Any:
    kind = rng.randrange(9 if depth else 6)
    match kind:
        case 0 | 1 | 2:
            return rng.choice(WORDS)
        case 3:
            return rng.choice([None, True, False])
        case 4:
            return rng.choice([0, 1, 2, -1, 3.0, 1.5, 10**10, 2**70])
        case 5:
            return rng.choice([[], {}])
        case 6 | 7:
            return {rng.choice(KEYS): random_value(rng, depth - 1) for _ in range(rng.randrange(3))}
        case _:
            return [random_value(rng, depth - 1) for _ in range(rng.randrange(3))]


@pytest.mark.slow
@settings(max_examples=120, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(nets(extras=True, max_places=3, max_transitions=2), st.randoms(use_true_random=False))
def test_the_checker_and_the_schema_agree_on_damaged_nets(net: Net, rng: random.Random) -> None:
    data = copy.deepcopy(net_to_data(net))
    agree(data)
    for _ in range(rng.randint(1, 3)):
        container, step = rng.choice(nodes(data))
        match rng.randrange(4):
            case 0:
                del container[step]
            case 1:
                container[step] = random_value(rng)
            case 2 if isinstance(container, dict):
                container[rng.choice(KEYS)] = random_value(rng)
            case 2:
                container.append(random_value(rng))
            case _:
                container[step] = copy.deepcopy(rng.choice(nodes(data))[0])
        if not data:
            break
    agree(data)


PARTS: list[tuple[str, Any]] = [
    ("kind", "net"),
    ("version", 1),
    ("id", "n"),
    ("name", ""),
    ("places", [{"id": "c", "name": "C", "tokens": 2, "environment": True}, {"id": "d", "tokens": [1, {"x": []}]}]),
    ("final", {"a": 1}),
    ("inputs", {"a": "one", "b": "all"}),
    ("inputs", {"a": {"exactly": 2}}),
    ("inputs", {"a": {"atLeast": 2}, "b": 3}),
    ("inputs", ["a", "b"]),
    ("inhibitors", ["a"]),
    ("reads", "a"),
    ("resets", ["b"]),
    ("output", {"place": "a", "count": 2}),
    ("output", {"and": ["a", {"xor": ["b", "b"]}]}),
    ("output", {"timeout": {"after": "1s", "child": {"forwardInput": {"from": "a", "to": "b"}}}}),
    ("output", ["a"]),
    ("timing", "immediate"),
    ("timing", {"deadline": "5s"}),
    ("timing", {"delayed": 1.5}),
    ("timing", {"window": ["1s", "2s"]}),
    ("timing", {"exact": "1m"}),
    ("priority", 1),
    ("match", {"a": "x", "b": None}),
    ("match", ["a", "b"]),
    ("action", "fork"),
    ("action", {"shell": "x"}),
    ("action", {"python": "a:b"}),
    ("action", {"transform": "a:b"}),
    ("action", {"produce": {"a": 1, "b": [1, None]}}),
    ("action", {"fork": "a"}),
    ("properties", ["placeBound:a<=1", {"id": "x", "placeBound": {"place": "a", "bound": 1}}]),
    ("properties", [{"deadlockFree": {"sinks": []}}, {"terminatesAtSink": ["a"]}]),
    ("properties", [{"mutualExclusion": {"places": ["a", "b"]}}, {"unreachable": {"places": "a"}}]),
    ("properties", [{"quiescentCount": {"places": ["a"], "min": 1, "max": 2}}]),
]
"""One part of a document each, and together every key there is."""

OTHER_VALUES: list[Any] = [None, True, False, 0, 1, 2, -1, 3.0, 1.5, 10**10, "", " ", "a", "one", "all", "immediate"]
OTHER_VALUES += ["5s", "0ms", "x:y", "fork", "net", [], {}, ["a"], [1], ["a", "b"], ["1s"], ["1s", 2, "3s"], {"a": 1}]
OTHER_VALUES += [{"exactly": 1}, {"zz": 1}, {"place": "a"}, {"xor": ["a"]}]


def documents(key: str, part: Any) -> list[Any]:
    """Documents with ``part`` damaged at every single place, in every way."""
    top = {"kind": "net", "places": ["a", "b", "c", "d"]}
    base = top | {key: part} if key in SCHEMA["properties"] else top | {"transitions": [{"id": "t", key: part}]}
    found = [base]
    for n, (container, step) in enumerate(nodes(base)):
        if not (key in SCHEMA["properties"] or container is not base):
            continue
        for value in [*OTHER_VALUES, ...]:
            data = copy.deepcopy(base)
            there = nodes(data)[n][0]
            if value is ...:
                del there[step]
            else:
                there[step] = value
            found.append(data)
    for n, container in enumerate(c for c, _ in nodes(base) if isinstance(c, dict)):
        for extra in KEYS if n else ():
            if extra not in container:
                data = copy.deepcopy(base)
                [c for c, _ in nodes(data) if isinstance(c, dict)][n][extra] = 1
                found.append(data)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("key", "part"), PARTS, ids=lambda x: x if isinstance(x, str) else json.dumps(x)[:30])
def test_the_checker_and_the_schema_agree_on_every_part_damaged_in_every_way(key: str, part: Any) -> None:
    for data in documents(key, part):
        agree(data)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(nets(extras=True, hostile=True, max_places=3, max_transitions=2), st.randoms(use_true_random=False))
def test_damaged_text_is_read_or_refused_with_a_position(net: Net, rng: random.Random) -> None:
    text = write_net(net)
    for _ in range(rng.randint(1, 3)):
        start = rng.randrange(len(text))
        end = min(len(text), start + rng.choice([0, 1, 4]))
        piece = rng.choice(
            ["", "{", "}", "[", "]", ":", ",", "\n", "  ", "- ", '"', "'", "\t", "&a ", "*a", "!x ", "0"]
        )
        text = text[:start] + piece + text[end:]
    node, problems = scan_document(text, "x.yaml")
    if node is None:
        assert problems
        return
    try:
        back, _ = parse_net(node)
    except PetriError as error:
        assert error.where.line >= 1
    else:
        check_net(back)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.recursive(values(), lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from(KEYS), v, max_size=4))
)
def test_any_data_is_read_or_refused(data: Any) -> None:
    agree(data)
