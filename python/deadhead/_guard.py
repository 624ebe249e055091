"""Shared by all hooks: which requests are pruned, what happens on a failure, and the counts."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from typing import Any, Mapping, TypeVar

from ._engine import Pruner

Body = TypeVar("Body", bytes, dict[str, Any])

log = logging.getLogger("deadhead")

LARGE = 256 * 1024
"""Bytes from which on a body is pruned in a thread, so that an event loop is not blocked."""

SEALS = ("content-md5", "content-digest", "digest", "signature", "x-amz-content-sha256")
"""Headers that bind a request to its bytes."""


def is_sealed(headers: Mapping[str, str]) -> bool:
    """Whether a body may not be changed: it is packed, or signed. The names of headers are in lower case."""
    packed = headers.get("content-encoding", "identity").strip().lower() not in ("", "identity")
    return packed or headers.get("authorization", "").startswith("AWS4-") or any(name in headers for name in SEALS)


_guards: weakref.WeakSet[Guard] = weakref.WeakSet()


def _renew() -> None:
    """In the child of a fork the thread that has a lock may be missing."""
    for guard in _guards:
        guard._lock = threading.Lock()


os.register_at_fork(after_in_child=_renew)


class Guard:
    """A pruner of requests. It fails open: a body that cannot be pruned is sent unchanged.

    With ``strict`` it fails closed: the error is raised, and the request is not made.
    """

    def __init__(self, pruner: Pruner | None = None, *, strict: bool = False) -> None:
        self.pruner = pruner or Pruner()
        self.strict = strict
        self._lock = threading.Lock()
        _guards.add(self)
        self.requests = {"pruned": 0, "unchanged": 0, "skipped": 0, "failed": 0}

    def is_slow(self, body: bytes) -> bool:
        """Whether an event loop should not wait for it: a large body, or one that asks a state file."""
        return len(body) >= LARGE or self.pruner.has_state

    def skip(self) -> None:
        """Counts a request that is not looked at."""
        with self._lock:
            self.requests["skipped"] += 1

    def prune(self, body: bytes, session: str | None = None, workload: str | None = None, model: str | None = None) -> bytes:
        """The bytes that go out for a body. ``session``, ``workload`` and ``model`` are the names that its request states."""
        return self._run(body, session, workload, model)

    def value(
        self, body: dict[str, Any], session: str | None = None, workload: str | None = None, model: str | None = None
    ) -> dict[str, Any]:
        """The same for a body that is no bytes yet. What is given is never changed."""
        return self._run(body, session, workload, model)

    def refuse(self, error: Exception) -> None:
        """Takes back what the last request is counted as: its cuts cannot be made. Raises where it is strict."""
        with self._lock:
            self.requests["pruned"] -= 1
            self.requests["failed"] += 1
        if self.strict:
            raise error
        log.warning("a request is sent unpruned: %s", error)

    def _run(self, body: Body, session: str | None, workload: str | None, model: str | None) -> Body:
        outcome, new = "failed", body
        try:
            session = session if self.pruner.has_state else None
            result = self.pruner.prune(body, session=session, workload=self._known(workload), model=model)
            outcome, new = ("pruned" if result.changed else "unchanged"), result.body
        except Exception as error:
            if self.strict:
                raise
            log.warning("a request is sent unpruned: %s", error)
        finally:
            with self._lock:
                self.requests[outcome] += 1
        return new

    def _known(self, workload: str | None) -> str | None:
        """The workload of a request. A name that the configuration does not have is an error where it is strict, else the pruner's own."""
        if not workload or self.strict or workload in self.pruner.workloads:
            return workload or None
        log.warning("unknown workload %r: the pruner's own settings are used", workload)
        return None
