"""The tokens of a fold: what an event takes, puts, and may not do with the units of resources.

Units are conserved in every prefix of a log: free + held = capacity. So only the two ends of a guard's block, the time
that gives back a quota's units, and the end of a cancelled session may touch the place of a resource.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping, Sequence

from petri_cli.engine.tokens import Token
from petri_cli.errors import PetriError
from petri_cli.session.events import Ended, Fired, Holding, Injected, SessionEvent
from petri_cli.session.state import RESOURCE, State

ByPlace = Mapping[str, Sequence[Token]]


def misfit(state: State, event: SessionEvent, why: str) -> PetriError:
    return PetriError("PETRI_BAD_LOG", f"event {state.seq + 1} ({event.type}) does not fit the log before it: {why}")


def take(state: State, event: SessionEvent, tokens: ByPlace) -> None:
    """Remove these very tokens. The engine takes them from the head, or by name out of the middle."""
    for place, gone in tokens.items():
        queue = state.marking.get(place)
        for token in gone:
            if queue and queue[0] == token:
                queue.popleft()
                continue
            try:
                if queue is None:
                    raise ValueError
                queue.remove(token)
            except ValueError:
                raise misfit(state, event, f"place {place} does not hold the token {token!r}") from None
        if not queue:
            state.marking.pop(place, None)


def put(state: State, tokens: ByPlace) -> None:
    """Add tokens behind those that are there."""
    for place, new in tokens.items():
        if new:
            queue = state.marking.get(place)
            if queue is None:
                queue = state.marking[place] = deque()
            queue.extend(new)


def put_back(state: State, tokens: ByPlace) -> None:
    """Tokens go back to the head of their places, as if they had never been taken."""
    for place, old in tokens.items():
        if old:
            state.marking.setdefault(place, deque()).extendleft(reversed(old))


def thread_of(consumed: ByPlace) -> str:
    """The name of the one token that is no unit of a resource."""
    return next((ts[0].name for p, ts in consumed.items() if ts and not p.startswith(RESOURCE)), "")


def check_no_units(state: State, event: SessionEvent, *moved: ByPlace) -> None:
    for tokens in moved:
        for place in tokens:
            if place.startswith(RESOURCE):
                raise misfit(state, event, f"only a guard's block takes and gives back units of {place}")


def fire(state: State, event: Fired) -> None:
    """A control transition: its tokens, its timers, and, at the ends of a guard's block, who holds what."""
    head, _, part = event.transition.rpartition(".")
    guard = head.startswith("t.guard.")
    if guard and part == "acquire":
        _acquire(state, event, head)
    elif guard and part == "release":
        _release(state, event, head)
    else:
        check_no_units(state, event, event.consumed, event.produced, *({t.place: t.tokens} for t in event.timers))
    take(state, event, event.consumed)
    put(state, event.produced)
    for timer in event.timers:
        if timer.id in state.timers:
            raise misfit(state, event, f"there is a timer {timer.id} already")
        state.timers[timer.id] = timer


def _acquire(state: State, event: Fired, guard: str) -> None:
    check_no_units(state, event, event.produced)
    key = guard, thread_of(event.consumed)
    if key in state.holdings:
        raise misfit(state, event, f"{event.transition} holds units for {key[1]!r} already")
    lasting = _units(event.consumed)
    for timer in event.timers:
        lasting[timer.place] -= len(timer.tokens)
    if any(n < 0 for n in lasting.values()):
        raise misfit(state, event, "more units would come back than were taken")
    if any(lasting.values()):
        state.holdings[key] = Holding(event.transition, key[1], event.at, {p: n for p, n in lasting.items() if n})


def _release(state: State, event: Fired, guard: str) -> None:
    check_no_units(state, event, event.consumed, *({t.place: t.tokens} for t in event.timers))
    held = state.holdings.pop((guard, thread_of(event.consumed)), None)
    if _units(event.produced) != Counter({} if held is None else held.units):
        raise misfit(state, event, "a block gives back the units that it holds, neither more nor less")


def _units(tokens: ByPlace) -> Counter[str]:
    return Counter({place: len(ts) for place, ts in tokens.items() if ts and place.startswith(RESOURCE)})


def inject(state: State, event: Injected) -> None:
    if event.timer:
        timer = state.timers.pop(event.timer, None)
        if timer is None:
            raise misfit(state, event, f"there is no timer {event.timer}")
        if (timer.place, len(timer.tokens)) != (event.place, len(event.tokens)):
            raise misfit(state, event, f"timer {timer.id} brings {len(timer.tokens)} tokens to {timer.place}")
    else:
        check_no_units(state, event, {event.place: event.tokens})
    put(state, {event.place: event.tokens})


def give_back(state: State, event: Ended) -> None:
    """What a cancelled session gives back: every unit that a block holds or that time would bring."""
    due = _units(event.returned)
    check_only_units(state, event)
    held: Counter[str] = Counter()
    for holding in state.holdings.values():
        held.update(holding.units)
    for timer in state.timers.values():
        held.update(_units({timer.place: timer.tokens}))
    if due != held:
        raise misfit(state, event, f"the units that are held are {dict(held)}, those given back {dict(due)}")
    put(state, event.returned)
    state.holdings.clear()
    state.timers.clear()


def check_only_units(state: State, event: Ended) -> None:
    for place in event.returned:
        if not place.startswith(RESOURCE):
            raise misfit(state, event, f"nothing but units is given back, and {place} holds none")
