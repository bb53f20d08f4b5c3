"""Stale detection: a worker's answer counts only if no newer search has begun meanwhile.

A search writes the time at which it began into the place ``latest``. Its answer comes back as a token of ``found``.
``commit`` reads ``latest`` (a read arc: the token stays) and compares it with the search that its answer belongs to;
its xor output routes the answer to ``committed`` or to ``discarded``.

Run it: ``python samples/engine/stale_detection.py``
"""

from petri_cli.engine import ActionContext, Result, VirtualExecutor
from petri_cli.net.builder import NetBuilder, both, either

NET = (
    NetBuilder("stale-detection")
    .place("requests", environment=True)
    .transition("search", "requests", both("running", "began"))
    .transition("note", "began", "latest", resets="latest", priority=1)
    .transition("answer", "running", "found")
    .transition("commit", "found", either("committed", "discarded"), reads="latest")
    .build()
)


def search(ctx: ActionContext) -> None:
    """Begin a search: the running search and the note of its beginning carry the time of the request."""
    request = ctx.input_token("requests")
    ctx.output("running", {"query": request.value, "began": request.created_at})
    ctx.output("began", request.created_at)


def commit(ctx: ActionContext) -> None:
    """Commit an answer, unless a newer search has begun."""
    answer = ctx.input("found")
    fresh = answer["began"] >= ctx.read("latest")
    ctx.output("committed" if fresh else "discarded", answer["query"])


ACTIONS = {
    "search": search,
    "note": lambda ctx: {"latest": ctx.input("began")},
    "answer": lambda ctx: {"found": ctx.input("running")},
    "commit": commit,
}


def two_searches() -> Result:
    """A slow search is overtaken by a quick one that began after it."""
    speed = {"slow": 5.0, "quick": 1.0}

    async def answer(ctx: ActionContext) -> dict[str, object]:
        running = ctx.input("running")
        await ctx.sleep(speed[running["query"]])
        return {"found": running}

    run = VirtualExecutor(NET, {**ACTIONS, "answer": answer})
    run.inject("requests", "slow")
    run.advance(2.0)
    run.inject("requests", "quick")
    return run.run()


if __name__ == "__main__":
    for place, values in two_searches().values.items():
        print(place, values)  # noqa: T201
