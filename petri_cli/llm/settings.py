"""Which model is asked, and where: said by the environment, since a key has no business in a file or a command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from petri_cli.errors import PetriError

URL, MODEL, KEY = "PETRI_LLM_BASE_URL", "PETRI_LLM_MODEL", "PETRI_LLM_API_KEY"
TIMEOUT, PRICE = "PETRI_LLM_TIMEOUT", "PETRI_LLM_PRICE"
SECONDS = 120.0
"""That an answer may take, unless it is said otherwise."""


@dataclass(frozen=True, slots=True)
class Settings:
    """price: what a million tokens cost, (read, written), in whatever currency; timeout: seconds for one answer, all
    tries of the transport together."""

    base_url: str
    model: str
    api_key: str
    timeout: float = SECONDS
    price: tuple[float, float] | None = None

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Settings:
        """Raises PetriError ``PETRI_LLM_SETTING`` for what is missing or cannot be read."""
        missing = [name for name in (URL, MODEL) if not environment.get(name, "").strip()]
        if missing:
            hint = f"export {URL}=https://…/v1 {MODEL}=… {KEY}=…: any endpoint that speaks OpenAI's protocol"
            raise PetriError("PETRI_LLM_SETTING", f"{' and '.join(missing)} not set: no model to ask", hint=hint)
        url = environment[URL].strip()
        if not url.startswith(("http://", "https://")):
            raise PetriError("PETRI_LLM_SETTING", f"{URL} begins with http:// or https://, got {url[:80]!r}")
        seconds = _numbers(environment, TIMEOUT, 1)
        price = _numbers(environment, PRICE, 2)
        return cls(
            url,
            environment[MODEL].strip(),
            environment.get(KEY, "").strip() or "none",  # a server on this machine asks for none
            seconds[0] if seconds else SECONDS,
            (price[0], price[1]) if price else None,
        )

    def cost(self, read: int, written: int) -> float | None:
        """Of so many tokens, where the price is known."""
        if self.price is None:
            return None
        return round((read * self.price[0] + written * self.price[1]) / 1e6, 6)


def _numbers(environment: Mapping[str, str], name: str, n: int) -> list[float]:
    text = environment.get(name, "").strip()
    if not text:
        return []
    try:
        found = [float(part) for part in text.split("/")]
    except ValueError:
        found = []
    if len(found) != n or not all(isfinite(x) and x >= 0 for x in found) or (n == 1 and found[0] == 0):
        form = "seconds, as 60" if n == 1 else "what a million tokens cost, read/written, as 0.5/1.5"
        raise PetriError("PETRI_LLM_SETTING", f"{name} is {form}, got {text[:40]!r}")
    return found
