"""The application: one handler for every path, which is the proxy, and the counts."""

from __future__ import annotations

import contextlib
import logging
from typing import AsyncIterator

import anyio.to_thread
import httpx
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from .._engine import Pruner
from .._guard import Guard, carries_transcript, is_sealed

log = logging.getLogger("deadhead")

HOP = {b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"te", b"trailer", b"transfer-encoding", b"upgrade"}
"""Headers that are for the next hop alone."""


def application(
    upstream: str,
    pruner: Pruner | None = None,
    *,
    strict: bool = False,
    session_header: str | None = None,
    metrics: str = "/metrics",
    transport: httpx.AsyncBaseTransport | None = None,
) -> Starlette:
    """The proxy in front of ``upstream``, the address that its paths are added to.

    ``session_header`` names the header that names the session, for a pruner with a state file; without one, the body does.
    """
    proxy = _Proxy(httpx.URL(upstream), Guard(pruner, strict=strict), session_header, transport)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with proxy.client:
            yield

    async def counts(_: Request) -> Response:
        return PlainTextResponse(proxy.metrics(), media_type="text/plain; version=0.0.4")

    methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
    routes = [Route(metrics, counts, methods=["GET"]), Route("/{path:path}", proxy.answer, methods=methods)]
    made = Starlette(routes=routes, lifespan=lifespan)
    made.router.redirect_slashes = False
    return made


class _Proxy:
    def __init__(self, upstream: httpx.URL, guard: Guard, session_header: str | None, transport: httpx.AsyncBaseTransport | None) -> None:
        self.upstream = upstream
        self.guard = guard
        self.session_header = session_header
        # How long an answer takes, and how many there are at once, is the client's and the provider's affair.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
        self.client = httpx.AsyncClient(transport=transport or httpx.AsyncHTTPTransport(limits=limits, retries=0), timeout=None)
        self.upstream_errors = 0

    def metrics(self) -> str:
        rows = [
            "# HELP deadhead_upstream_errors_total Requests that the provider did not answer, or not to the end.",
            "# TYPE deadhead_upstream_errors_total counter",
            f"deadhead_upstream_errors_total {self.upstream_errors}",
        ]
        return self.guard.metrics() + "\n".join(rows) + "\n"

    async def answer(self, request: Request) -> Response:
        """Passes a request on, and its answer back."""
        try:
            content = await self.content(request)
        except ClientDisconnect:
            return Response(status_code=499)
        except Exception as error:
            # Only where it is strict.
            return _refusal(422, "deadhead_refused", str(error))
        try:
            response = await self.client.send(self.onward(request, content), stream=True, follow_redirects=False)
        except httpx.HTTPError as error:
            self.upstream_errors += 1
            log.warning("the upstream did not answer: %s", error)
            return _refusal(502, "upstream_unreachable", f"{type(error).__name__}: {error}")
        answer = StreamingResponse(self.body(response), status_code=response.status_code)
        answer.raw_headers = [(name.lower(), value) for name, value in response.headers.raw if name.lower() not in HOP]
        return answer

    async def content(self, request: Request) -> bytes | AsyncIterator[bytes] | None:
        """The body that goes on: read and pruned if it is a transcript, else as it comes."""
        headers = request.headers
        if "content-length" not in headers and "transfer-encoding" not in headers:
            return None
        if not carries_transcript(request.method, request.url.path):
            return request.stream()
        if is_sealed(headers):
            self.guard.skip()
            return request.stream()
        body = await request.body()
        session = headers.get(self.session_header) if self.session_header else None
        if self.guard.is_slow(body):
            return await anyio.to_thread.run_sync(self.guard.prune, body, session)
        return self.guard.prune(body, session)

    def onward(self, request: Request, content: bytes | AsyncIterator[bytes] | None) -> httpx.Request:
        """The request as the upstream gets it."""
        named = {name.strip().lower() for name in request.headers.get("connection", "").encode("latin-1").split(b",")}
        dropped = HOP | named | {b"host"}
        if isinstance(content, bytes):
            dropped = dropped | {b"content-length"}
        headers = [(name, value) for name, value in request.headers.raw if name not in dropped]
        path = request.scope.get("raw_path") or request.url.path.encode()
        query = request.scope["query_string"]
        target = self.upstream.raw_path.rstrip(b"/") + path + (b"?" + query if query else b"")
        return httpx.Request(request.method, self.upstream.copy_with(raw_path=target), headers=headers, content=content)

    async def body(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """The bytes of an answer as they come. Where the upstream breaks off, so does this."""
        try:
            async for piece in response.aiter_raw():
                yield piece
        except httpx.HTTPError:
            self.upstream_errors += 1
            raise
        finally:
            # Also where the client has gone: the provider need not go on.
            with anyio.CancelScope(shield=True):
                await response.aclose()


def _refusal(status: int, kind: str, text: str) -> Response:
    return JSONResponse({"type": "error", "error": {"type": kind, "message": f"deadhead proxy: {text}"}}, status_code=status)
