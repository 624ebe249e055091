"""A request as the upstream gets it, and an answer as the client gets it: without the headers that are for one connection alone."""

from __future__ import annotations

from typing import Any, AsyncIterator, Callable, Iterable

import anyio
import httpx
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

Headers = list[tuple[bytes, bytes]]

HOP = frozenset(
    (b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade")
)
"""Headers that are for the next hop alone, beside those that ``Connection`` names."""


def passed_on(headers: Iterable[tuple[bytes, bytes]], without: Iterable[bytes] = ()) -> Headers:
    """The headers for the other side, their names in lower case."""
    lower = [(name.lower(), value) for name, value in headers]
    named = {word.strip().lower() for name, value in lower if name == b"connection" for word in value.split(b",")}
    dropped = HOP | named | set(without)
    return [(name, value) for name, value in lower if name not in dropped]


def for_upstream(headers: Headers, *, has_bytes: bool) -> Headers:
    """The headers of a request. ``has_bytes``: its body was read, and has a new length.

    The client was asked to continue by this server, so that the provider need not be asked. A body in chunks has no length, whatever
    its headers say.
    """
    in_chunks = any(name.lower() == b"transfer-encoding" for name, _ in headers)
    lengths = [b"content-length"] if has_bytes or in_chunks else []
    return passed_on(headers, [b"host", b"expect", *lengths])


def target(upstream: httpx.URL, scope: Scope) -> tuple[httpx.URL, dict[str, Any]]:
    """The address of a request, and where httpx would spell its path otherwise than the client did, the client's spelling."""
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    query: bytes = scope["query_string"]
    wanted = upstream.raw_path.rstrip(b"/") + path + (b"?" + query if query else b"")
    try:
        url = upstream.copy_with(raw_path=wanted)
    except (httpx.InvalidURL, UnicodeError):
        url = upstream
    return url, {} if url.raw_path == wanted else {"target": wanted}


class Answer(StreamingResponse):
    """An answer of the upstream, piece by piece as it comes. Where the upstream breaks off, so does this."""

    def __init__(self, response: httpx.Response, broke_off: Callable[[], None]) -> None:
        super().__init__(self.pieces(), status_code=response.status_code)
        self.raw_headers = passed_on(response.headers.raw)
        self.response = response
        self.broke_off = broke_off

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            # Also where the client has gone before the first piece: the provider need not continue.
            with anyio.CancelScope(shield=True):
                await self.response.aclose()

    async def pieces(self) -> AsyncIterator[bytes]:
        try:
            async for piece in self.response.aiter_raw():
                yield piece
        except httpx.HTTPError:
            self.broke_off()
            raise
