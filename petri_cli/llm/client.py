"""One question to a model, over the protocol that most of them speak; the official SDK does the transport.

It is imported when it is needed: it takes longer to load than all the rest.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, Protocol

from petri_cli.driver.redact import SHORTEST
from petri_cli.errors import PetriError
from petri_cli.llm.settings import KEY, MODEL, URL, Settings

RETRIES = 2
"""Of the transport: where the line broke, or the server said that it is busy or broken. The SDK waits between them."""
MAX_ANSWER = 1_000_000
"""Characters. No plan that a model writes is longer, and nobody would read one that is."""

Message = Mapping[str, str]
"""``{role, content}``."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said. trouble: why it is of no use, empty where it may be; model: what the server says it is."""

    text: str
    trouble: str = ""
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    seconds: float = 0.0

    def spent(self) -> dict[str, Any]:
        """What it cost, as events have it."""
        found: dict[str, Any] = {
            "name": self.model,
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
            "seconds": round(self.seconds, 3),
        }
        return found if self.cost is None else {**found, "cost": self.cost}


class Client(Protocol):
    def ask(self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None) -> Answer:
        """The answer, in the form of a JSON Schema where the server can. Raises PetriError ``PETRI_LLM_FAILED`` when
        there is none."""


class OpenAIClient:
    """Raises PetriError ``PETRI_LLM_MISSING`` where the SDK is not installed."""

    def __init__(self, settings: Settings) -> None:
        try:
            import openai
        except ImportError:
            hint = "pip install 'petri-cli[llm]'"
            raise PetriError("PETRI_LLM_MISSING", "the SDK that talks to models is not installed", hint=hint) from None
        self.settings = settings
        self._openai = openai
        self._client = openai.OpenAI(
            base_url=settings.base_url, api_key=settings.api_key, timeout=settings.timeout, max_retries=RETRIES
        )
        self._plain = False
        """The server knows nothing of schemas."""

    def ask(self, messages: Sequence[Message], schema: Mapping[str, Any] | None = None) -> Answer:
        begun = time.monotonic()
        try:
            reply = within(self.settings.timeout, lambda: self._reply(messages, schema))
        except TimeoutError:
            raise self._failed(f"it did not answer within {self.settings.timeout:g} s") from None
        except self._openai.APITimeoutError:
            raise self._failed(f"it did not answer within {self.settings.timeout:g} s") from None
        except self._openai.APIStatusError as error:
            raise self._failed(f"it answered {error.status_code}: {_short(error.message)}") from None
        except self._openai.APIConnectionError as error:
            raise self._failed(f"no connection: {_short(str(error.__cause__ or error))}") from None
        except (self._openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise self._failed(f"its answer cannot be read: {_short(str(error))}") from None
        try:
            return self._read(reply, time.monotonic() - begun)
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
            raise self._failed(f"its answer cannot be read: {_short(str(error))}") from None

    def _reply(self, messages: Sequence[Message], schema: Mapping[str, Any] | None) -> Any:
        create: Any = self._client.chat.completions.create
        asked: dict[str, Any] = {"model": self.settings.model, "messages": [dict(m) for m in messages]}
        if schema is not None and not self._plain:
            form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema), "strict": False}}
            try:
                return create(**asked, response_format=form)
            except (self._openai.BadRequestError, self._openai.UnprocessableEntityError):
                self._plain = True  # not every server has structured output; what comes is checked all the same
        return create(**asked)

    def _read(self, reply: Any, seconds: float) -> Answer:
        choices: Any = getattr(reply, "choices", None)
        usage = getattr(reply, "usage", None)
        read, written = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
        said = getattr(usage, "cost", None)
        known = isinstance(said, int | float) and isfinite(said) and said >= 0
        cost = float(str(said)) if known else self.settings.cost(read, written)
        model = self._masked(_short(str(getattr(reply, "model", None) or self.settings.model)))

        def answer(text: str, trouble: str = "") -> Answer:
            return Answer(text, trouble, model, read, written, cost, seconds)

        message = getattr(choices[0], "message", None) if choices else None
        if message is None:
            return answer("", "the model gave no answer")
        if refusal := getattr(message, "refusal", None):
            return answer("", f"the model refused: {self._masked(_short(str(refusal)))}")
        text = getattr(message, "content", None)
        if not isinstance(text, str) or not text.strip():
            return answer("", "the model gave an empty answer")
        if choices[0].finish_reason == "length":
            return answer("", f"the answer was cut off after {written:,} tokens")
        if len(text) > MAX_ANSWER:
            return answer("", f"the answer has {len(text):,} characters; at most {MAX_ANSWER:,} are read")
        return answer(text)

    def _masked(self, text: str) -> str:
        """What a server says goes into the log; some say the key again that they were given."""
        key = self.settings.api_key
        return text.replace(key, "***") if len(key) >= SHORTEST else text

    def _failed(self, why: str) -> PetriError:
        where = f"{self.settings.model} at {_host(self.settings.base_url)}"
        return PetriError("PETRI_LLM_FAILED", self._masked(f"{where}: {why}"), hint=f"look at {URL}, {MODEL} and {KEY}")


def within(seconds: float, work: Callable[[], Any]) -> Any:
    """What ``work`` returns or raises, or TimeoutError: a server that sends a byte now and then is not waited for."""
    done: list[tuple[Any, BaseException | None]] = []

    def run() -> None:
        try:
            done.append((work(), None))
        except BaseException as error:
            done.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if not done:
        raise TimeoutError
    value, error = done[0]
    if error is not None:
        raise error
    return value


def _count(usage: Any, name: str) -> int:
    value = getattr(usage, name, None)
    return value if isinstance(value, int) and value >= 0 else 0


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 300 else f"{line[:299]}…"


def _host(url: str) -> str:
    """Without what may be a password in it."""
    return url.split("://", 1)[-1].split("/", 1)[0].rpartition("@")[2]
