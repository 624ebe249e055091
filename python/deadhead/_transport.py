"""What a transport does to a request, for httpx and for httpx2, whose requests are alike."""

from __future__ import annotations

from typing import Any, Callable, Generic, TypeVar

import anyio.to_thread

from ._engine import Pruner, carries_transcript
from ._guard import Guard, is_sealed

Request = TypeVar("Request", bound=Any)
Name = Callable[[Request], "str | None"]
"""A function that says what a request names, its session or its workload."""

LENGTHS = (b"content-length", b"transfer-encoding")


class Rewriter(Generic[Request]):
    """Prunes requests on their way out."""

    def __init__(self, pruner: Pruner | None, strict: bool, session: Name[Request] | None, workload: Name[Request] | None) -> None:
        self.guard = Guard(pruner, strict=strict)
        self.names = (session, workload)

    def rewritten(self, request: Request) -> Request:
        """The request that is sent."""
        if not self._wants(request):
            return request
        body: bytes = request.read()
        return self._with(request, body, self.guard.prune(body, *self._named(request)))

    async def rewritten_async(self, request: Request) -> Request:
        """The same for an event loop, which is not blocked while a large body is pruned."""
        if not self._wants(request):
            return request
        body: bytes = await request.aread()
        names = self._named(request)
        if self.guard.is_slow(body):
            return self._with(request, body, await anyio.to_thread.run_sync(self.guard.prune, body, *names))
        return self._with(request, body, self.guard.prune(body, *names))

    def _wants(self, request: Request) -> bool:
        if not carries_transcript(request.method, request.url.path):
            return False
        if is_sealed(request.headers):
            self.guard.skip()
            return False
        return True

    def _named(self, request: Request) -> tuple[str | None, str | None]:
        """The names of the session and the workload."""
        session, workload = self.names
        return session(request) if session else None, workload(request) if workload else None

    @staticmethod
    def _with(request: Request, old: bytes, new: bytes) -> Request:
        if new is old:
            return request
        headers = [(name, value) for name, value in request.headers.raw if name.lower() not in LENGTHS]
        headers.append((b"Content-Length", str(len(new)).encode()))
        made: Request = type(request)(request.method, request.url, headers=headers, content=new, extensions=request.extensions)
        return made
