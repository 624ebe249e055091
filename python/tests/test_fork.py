"""Forks beside threads that prune with a state file, as servers with several processes and threads make them."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings

import deadhead
from deadhead._guard import Guard

CHILDREN = 30


def test_children_prune_beside_threads(tmp_path, long: bytes) -> None:
    guard = Guard(deadhead.Pruner(state=tmp_path / "state"), strict=True)
    want = deadhead.Pruner().prune(long).body
    ended = threading.Event()

    def work(name: str) -> None:
        while not ended.is_set():
            guard.prune(long, name)

    threads = [threading.Thread(target=work, args=(f"thread {i}",)) for i in range(4)]
    for thread in threads:
        thread.start()
    children = []
    with warnings.catch_warnings():
        # Python warns of what is tested.
        warnings.simplefilter("ignore", DeprecationWarning)
        for i in range(CHILDREN):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                try:
                    same = all(guard.prune(long, f"child {i}") == want for _ in range(2))
                    os._exit(0 if same else 1)
                except BaseException:
                    os._exit(2)
            children.append(child)
            time.sleep(0.005)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    ended.set()
    for thread in threads:
        thread.join(60)
    assert codes == [0] * CHILDREN
    assert not any(thread.is_alive() for thread in threads)
    assert guard.prune(long, "thread 0") == want
