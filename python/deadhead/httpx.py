"""A transport of httpx that prunes requests, for every SDK that accepts a client of it, such as LiteLLM's and those of 2025.

    import openai, httpx, deadhead.httpx

    client = openai.OpenAI(http_client=httpx.Client(transport=deadhead.httpx.Transport()))

Requests whose path names no transcript, and packed or signed ones, are not looked at. Answers are not touched. It fails open: what
cannot be pruned is sent unchanged, with a warning in the log ``deadhead``; ``strict=True`` raises instead. ``session`` names the
session of a request, for a pruner with a state file, and ``workload`` its workload, one of the pruner's configuration.
"""

from __future__ import annotations

from typing import Callable

import httpx

from ._engine import Pruner
from ._transport import Rewriter

Name = Callable[[httpx.Request], "str | None"]


class Transport(httpx.BaseTransport):
    """Prunes requests before ``transport`` sends them."""

    def __init__(
        self,
        pruner: Pruner | None = None,
        *,
        transport: httpx.BaseTransport | None = None,
        strict: bool = False,
        session: Name | None = None,
        workload: Name | None = None,
    ) -> None:
        self._inner = transport or httpx.HTTPTransport()
        self._rewriter = Rewriter[httpx.Request](pruner, strict, session, workload)
        self.guard = self._rewriter.guard

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._inner.handle_request(self._rewriter.rewritten(request))

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
        session: Name | None = None,
        workload: Name | None = None,
    ) -> None:
        self._inner = transport or httpx.AsyncHTTPTransport()
        self._rewriter = Rewriter[httpx.Request](pruner, strict, session, workload)
        self.guard = self._rewriter.guard

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return await self._inner.handle_async_request(await self._rewriter.rewritten_async(request))

    async def aclose(self) -> None:
        await self._inner.aclose()
