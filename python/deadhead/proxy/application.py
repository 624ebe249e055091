"""The application: one handler for every path, which is the proxy, and the counts."""

from __future__ import annotations

import contextlib
import logging
from typing import AsyncIterator

import anyio
import anyio.to_thread
import httpx
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from .._engine import Pruner
from .._guard import Guard, carries_transcript, is_sealed
from .wire import Answer, for_upstream, target

log = logging.getLogger("deadhead")


def application(
    upstream: str,
    pruner: Pruner | None = None,
    *,
    strict: bool = False,
    session_header: str | None = None,
    workload_header: str | None = None,
    metrics: str = "/metrics",
    transport: httpx.AsyncBaseTransport | None = None,
) -> Starlette:
    """The proxy in front of ``upstream``, the address that its paths are added to.

    ``session_header`` names the header that names the session, for a pruner with a state file; without one, the body does.
    ``workload_header`` names the header that names the workload, one of the pruner's configuration.
    ``transport`` sends the requests; by default a transport of httpx, by way of the proxy that the environment names, if any.
    """
    proxy = _Proxy(_address(upstream), Guard(pruner, strict=strict), (session_header, workload_header), transport)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with proxy.client:
            yield

    async def counts(_: Request) -> Response:
        return PlainTextResponse(proxy.metrics(), media_type="text/plain; version=0.0.4")

    # An endpoint that is no function takes every method.
    routes = [Route(metrics, counts, methods=["GET"]), Route("/{path:path}", proxy), WebSocketRoute("/{path:path}", _no_websocket)]
    made = Starlette(routes=routes, lifespan=lifespan)
    made.router.redirect_slashes = False
    return made


def _address(upstream: str) -> httpx.URL:
    with contextlib.suppress(httpx.InvalidURL):
        address = httpx.URL(upstream)
        if address.scheme in ("http", "https") and address.host:
            return address
    raise ValueError(f"the upstream must be an address such as https://api.anthropic.com, not {upstream!r}")


class _Refused(Exception):
    """A body that is not sent, as the proxy is strict."""


class _Proxy:
    def __init__(
        self, upstream: httpx.URL, guard: Guard, names: tuple[str | None, str | None], transport: httpx.AsyncBaseTransport | None
    ) -> None:
        self.upstream = upstream
        self.guard = guard
        self.names = names
        # How long an answer takes, and how many there are at once, is the client's and the provider's affair.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
        self.client = httpx.AsyncClient(transport=transport, limits=limits, timeout=None)
        self.upstream_errors = 0

    def metrics(self) -> str:
        rows = [
            "# HELP deadhead_upstream_errors_total Requests that the provider did not answer, or not to the end.",
            "# TYPE deadhead_upstream_errors_total counter",
            f"deadhead_upstream_errors_total {self.upstream_errors}",
        ]
        return self.guard.metrics() + "\n".join(rows) + "\n"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, and its answer back."""
        request = Request(scope, receive)
        try:
            answer = await self.answer(request)
        except ClientDisconnect:
            # Nobody is there to be answered.
            return
        await answer(scope, receive, send)

    async def answer(self, request: Request) -> Response:
        if "websocket" in request.headers.get("upgrade", "").lower():
            return _upgrade_refused()
        uploaded = anyio.Event()
        try:
            content = await self.content(request, uploaded)
        except _Refused as error:
            return _refusal(422, "deadhead_refused", str(error))
        try:
            return Answer(await self.sent(request, content, uploaded), self.broke_off)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            self.broke_off()
            log.warning("the upstream did not answer: %s", error)
            return _refusal(502, "upstream_unreachable", f"{type(error).__name__}: {error}")

    async def content(self, request: Request, uploaded: anyio.Event) -> bytes | AsyncIterator[bytes] | None:
        """The body to send: read and pruned if it is a transcript, else streamed. ``uploaded`` is set when all of it came."""
        headers = request.headers
        if "content-length" not in headers and "transfer-encoding" not in headers:
            uploaded.set()
            return None
        carries = carries_transcript(request.method, request.scope["path"])
        if carries and is_sealed(headers):
            self.guard.skip()
        elif carries:
            body = await request.body()
            uploaded.set()
            session, workload = ((headers.get(name, "").strip() or None) if name else None for name in self.names)
            return await self.pruned(body, (session, workload))
        return _pieces(request, uploaded)

    async def pruned(self, body: bytes, names: tuple[str | None, str | None]) -> bytes:
        try:
            if self.guard.is_slow(body):
                return await anyio.to_thread.run_sync(self.guard.prune, body, *names)
            return self.guard.prune(body, *names)
        except Exception as error:
            raise _Refused(str(error)) from error

    async def sent(self, request: Request, content: bytes | AsyncIterator[bytes] | None, uploaded: anyio.Event) -> httpx.Response:
        """The beginning of the upstream's answer. A client that leaves before it takes its request back, as it would without the proxy."""
        url, extensions = target(self.upstream, request.scope)
        headers = for_upstream(request.headers.raw, has_bytes=isinstance(content, bytes))
        onward = httpx.Request(request.method, url, headers=headers, content=content, extensions=extensions)
        # An exception is carried out by hand: a task group would put it into a group of exceptions.
        came: list[httpx.Response | Exception] = []

        async def send() -> None:
            try:
                came.append(await self.client.send(onward, stream=True, follow_redirects=False))
            except Exception as error:
                came.append(error)
            tasks.cancel_scope.cancel()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(send)
            await uploaded.wait()
            while (await request.receive())["type"] != "http.disconnect":
                pass
            tasks.cancel_scope.cancel()
        if not came:
            raise ClientDisconnect
        if isinstance(came[0], Exception):
            raise came[0]
        return came[0]

    def broke_off(self) -> None:
        """Counts an upstream that did not answer, or not to the end."""
        self.upstream_errors += 1


async def _pieces(request: Request, uploaded: anyio.Event) -> AsyncIterator[bytes]:
    async for piece in request.stream():
        yield piece
    uploaded.set()


async def _no_websocket(socket: WebSocket) -> None:
    if "websocket.http.response" in socket.scope.get("extensions", {}):
        await socket.send_denial_response(_upgrade_refused())
    else:
        await socket.close()


def _upgrade_refused() -> Response:
    # At this status Codex continues by HTTP at once; after any other it tries again first.
    answer = _refusal(426, "websocket_refused", "WebSockets are not passed on; send the request by HTTP")
    answer.headers["upgrade"] = "HTTP/1.1"
    return answer


def _refusal(status: int, kind: str, text: str) -> Response:
    return JSONResponse({"type": "error", "error": {"type": kind, "message": f"deadhead proxy: {text}"}}, status_code=status)
