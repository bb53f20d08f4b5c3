"""How a model is told what it is to know: the lesson first, then data, with what is secret masked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from petri_cli.api import Analysis
from petri_cli.driver.redact import Redactor
from petri_cli.llm.client import Message
from petri_cli.render.json_report import result_data


def question(lesson: str, facts: Mapping[str, Any], redactor: Redactor) -> Sequence[Message]:
    """``facts`` as JSON behind the lesson, so that nothing in them reads as an instruction of ours."""
    data = json.dumps(redactor.value(facts), ensure_ascii=False, indent=1, default=str)
    return {"role": "system", "content": lesson}, {"role": "user", "content": data}


def report_on(analysis: Analysis) -> dict[str, Any]:
    """The analysis report as petri analyze writes it, without what it cost."""
    return {key: value for key, value in result_data(analysis).items() if key != "stats"}
