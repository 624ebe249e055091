"""A transport of httpx2 that prunes requests, for every SDK that accepts a client of it: Anthropic's, OpenAI's and Mistral's of 2026.

    import anthropic, httpx2, deadhead.httpx2

    client = anthropic.Anthropic(http_client=httpx2.Client(transport=deadhead.httpx2.Transport()))

Requests whose path names no transcript, and packed or signed ones, are not looked at. Answers are not touched. It fails open: what
cannot be pruned is sent unchanged, with a warning in the log ``deadhead``; ``strict=True`` raises instead. ``session`` names the
session of a request, for a pruner with a state file, and ``workload`` its workload, one of the pruner's configuration.
"""

from __future__ import annotations

from typing import Callable

import httpx2

from ._engine import Pruner
from ._transport import Rewriter

Name = Callable[[httpx2.Request], "str | None"]


class Transport(httpx2.BaseTransport):
    """Prunes requests before ``transport`` sends them."""

    def __init__(
        self,
        pruner: Pruner | None = None,
        *,
        transport: httpx2.BaseTransport | None = None,
        strict: bool = False,
        session: Name | None = None,
        workload: Name | None = None,
    ) -> None:
        self._inner = transport or httpx2.HTTPTransport()
        self._rewriter = Rewriter[httpx2.Request](pruner, strict, session, workload)
        self.guard = self._rewriter.guard

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return self._inner.handle_request(self._rewriter.rewritten(request))

    def close(self) -> None:
        self._inner.close()


class AsyncTransport(httpx2.AsyncBaseTransport):
    """The same for clients that are asynchronous."""

    def __init__(
        self,
        pruner: Pruner | None = None,
        *,
        transport: httpx2.AsyncBaseTransport | None = None,
        strict: bool = False,
        session: Name | None = None,
        workload: Name | None = None,
    ) -> None:
        self._inner = transport or httpx2.AsyncHTTPTransport()
        self._rewriter = Rewriter[httpx2.Request](pruner, strict, session, workload)
        self.guard = self._rewriter.guard

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        return await self._inner.handle_async_request(await self._rewriter.rewritten_async(request))

    async def aclose(self) -> None:
        await self._inner.aclose()
