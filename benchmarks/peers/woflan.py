"""What pm4py's Woflan says of workflow nets, and how long it takes: a line of JSON a file.

Run by the Python of an environment of its own, since pm4py is AGPL and petri never imports it:
``python -m venv peer``, ``peer/bin/pip install pm4py``, ``peer/bin/python benchmarks/peers/woflan.py SECONDS FILE …``.
A net that takes longer than SECONDS is left undecided. ``benchmarks/gate_peers.py`` does it.
"""

from __future__ import annotations

import json
import signal
import sys
import time
from types import FrameType

import pm4py  # type: ignore[import-not-found]
from pm4py.objects.petri_net.obj import Marking  # type: ignore[import-not-found]


class _OutOfTime(Exception):
    pass


def _stop(_: int, __: FrameType | None) -> None:
    raise _OutOfTime


def main(limit: int, files: list[str]) -> None:
    signal.signal(signal.SIGALRM, _stop)
    for file in files:
        began, used = time.perf_counter(), time.process_time()
        verdict = "UNKNOWN"
        signal.alarm(limit)
        try:
            net, initial, final = pm4py.read_pnml(file)
            if not final:  # the file has none: a token on the sink
                final = Marking({p: 1 for p in net.places if not p.out_arcs})
            sound, _ = pm4py.check_soundness(net, initial, final)
            verdict = "SOUND" if sound else "UNSOUND"
        except _OutOfTime:
            pass
        except Exception as error:
            verdict = f"FAILED: {type(error).__name__}"
        finally:
            signal.alarm(0)
        seconds = time.perf_counter() - began
        print(json.dumps({"file": file, "verdict": verdict, "wall": seconds, "cpu": time.process_time() - used}))
        sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
