"""A transport of httpx that prunes what goes out, for every SDK that takes a client of httpx.

    import anthropic, httpx, deadhead.httpx

    client = anthropic.Anthropic(http_client=httpx.Client(transport=deadhead.httpx.Transport()))

Requests whose path names no transcript, and packed or signed ones, are not looked at. Answers are not touched. It fails open: what
cannot be pruned goes out as it came, with a warning in the log ``deadhead``; ``strict=True`` raises instead.
"""

from __future__ import annotations

from typing import Callable

import anyio.to_thread
import httpx

from ._engine import Pruner
from ._guard import Guard, carries_transcript, is_sealed

Session = Callable[[httpx.Request], "str | None"]
"""Names the session of a request, for a pruner with a state file."""


class _Rewriter:
    def __init__(self, pruner: Pruner | None, strict: bool, session: Session | None) -> None:
        self.guard = Guard(pruner, strict=strict)
        self.session = session

    def wants(self, request: httpx.Request) -> bool:
        if not carries_transcript(request.method, request.url.path):
            return False
        if is_sealed(request.headers):
            self.guard.skip()
            return False
        return True

    def name(self, request: httpx.Request) -> str | None:
        return self.session(request) if self.session else None

    @staticmethod
    def rewritten(request: httpx.Request, body: bytes) -> httpx.Request:
        if body is request.content or body == request.content:
            return request
        headers = [(name, value) for name, value in request.headers.raw if name.lower() not in (b"content-length", b"transfer-encoding")]
        headers.append((b"Content-Length", str(len(body)).encode()))
        return httpx.Request(request.method, request.url, headers=headers, content=body, extensions=request.extensions)


class Transport(httpx.BaseTransport):
    """Prunes requests before ``transport`` sends them."""

    def __init__(
        self,
        pruner: Pruner | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
        strict: bool = False,
        session: Session | None = None,
    ) -> None:
        self._inner = transport or httpx.HTTPTransport()
        self._rewriter = _Rewriter(pruner, strict, session)
        self.guard = self._rewriter.guard

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self._rewriter.wants(request):
            body = request.read()
            request = self._rewriter.rewritten(request, self.guard.prune(body, self._rewriter.name(request)))
        return self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()


class AsyncTransport(httpx.AsyncBaseTransport):
    """The same for clients that are asynchronous."""

    def __init__(
        self,
        pruner: Pruner | None = None,
        *,
        transport: httpx.AsyncBaseTransport | None = None,
        strict: bool = False,
        session: Session | None = None,
    ) -> None:
        self._inner = transport or httpx.AsyncHTTPTransport()
        self._rewriter = _Rewriter(pruner, strict, session)
        self.guard = self._rewriter.guard

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._rewriter.wants(request):
            body, name = await request.aread(), self._rewriter.name(request)
            if self.guard.is_slow(body):
                new = await anyio.to_thread.run_sync(self.guard.prune, body, name)
            else:
                new = self.guard.prune(body, name)
            request = self._rewriter.rewritten(request, new)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()
