"""The nets we hand out, and the examples of the reference, are what they say they are."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from petri_cli.document import plain, read_document
from petri_cli.formats.detect import kind_of
from petri_cli.formats.netfile import parse_net, write_net
from petri_cli.formats.pnml import read_pnml, write_pnml
from petri_cli.soundness.nets import judge_net

ROOT = Path(__file__).parent.parent.parent
SCHEMA = json.loads((ROOT / "schemas" / "net.schema.json").read_text(encoding="utf-8"))
DOCUMENTS = sorted((ROOT / "samples" / "nets").glob("*.petri.yaml"))
PNML = sorted((ROOT / "samples" / "nets").glob("*.pnml"))
BLOCKS = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "net-files.md").read_text(encoding="utf-8"), re.DOTALL)


def test_there_are_some() -> None:
    assert len(DOCUMENTS) >= 3
    assert PNML
    assert len(BLOCKS) == 2


@pytest.mark.parametrize("text", [*(p.read_text(encoding="utf-8") for p in DOCUMENTS), *BLOCKS])
def test_net_documents_load_without_a_warning_and_fit_the_schema(text: str) -> None:
    node = read_document(text, "sample.petri.yaml")
    assert kind_of("sample.petri.yaml", text.encode()) == "net"
    net, warnings = parse_net(node)
    assert warnings == ()
    assert list(jsonschema.Draft7Validator(SCHEMA).iter_errors(plain(node))) == []
    assert parse_net(read_document(write_net(net)))[0] == net


@pytest.mark.parametrize("file", PNML, ids=lambda p: p.name)
def test_pnml_samples_are_as_we_write_them(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    net, warnings = read_pnml(text.encode(), file.name)
    assert warnings == ()
    assert write_pnml(net) == text


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("order.petri.yaml", "SOUND"),
        ("readers-writers.petri.yaml", "SOUND"),
        ("flaky-service.petri.yaml", "SOUND"),
        ("release.petri.yaml", "SOUND"),
        ("loan.pnml", "UNSOUND"),
    ],
)
def test_the_samples_get_the_verdicts_that_they_are_to_show(name: str, verdict: str) -> None:
    data = (ROOT / "samples" / "nets" / name).read_bytes()
    net, _ = read_pnml(data, name) if name.endswith(".pnml") else parse_net(read_document(data, name))
    assert judge_net(net).verdict.value == verdict


def test_every_property_of_the_schema_has_a_description_an_example_and_a_default() -> None:
    lacking = []
    stack = [("", SCHEMA)]
    while stack:
        path, part = stack.pop()
        if isinstance(part, list):
            stack += [(path, p) for p in part]
        if not isinstance(part, dict):
            continue
        properties = part.get("properties")
        for name, body in properties.items() if isinstance(properties, dict) else ():
            if not isinstance(body, dict):
                continue
            described = SCHEMA["definitions"][body["$ref"].rpartition("/")[2]] if "$ref" in body else body
            if not {"description", "examples", "default"} <= described.keys():
                lacking.append(f"{path}/{name}")
        stack += [(f"{path}/{k}", v) for k, v in part.items()]
    assert lacking == []


def test_the_examples_and_defaults_of_the_schema_fit_it() -> None:
    wrong = []
    stack = [SCHEMA]
    while stack:
        part = stack.pop()
        if isinstance(part, list):
            stack += part
        if not isinstance(part, dict):
            continue
        if "examples" in part and "description" in part and part is not SCHEMA:
            validator = jsonschema.Draft7Validator({**part, "definitions": SCHEMA["definitions"]})
            wrong += [
                f"{part['description']} {example}"
                for example in [*part["examples"], part["default"]]
                if not validator.is_valid(example)
            ]
        stack += part.values()
    assert wrong == []
