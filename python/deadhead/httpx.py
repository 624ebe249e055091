"""Pruning around the client of an SDK, or of httpx or httpx2: its transports send what was pruned, everything else of it stays.

    import openai, deadhead

    client = deadhead.wrap(openai.OpenAI())

Requests whose path names no transcript, and packed or signed ones, are not looked at. Answers are not touched. It fails open: what
cannot be pruned is sent unchanged, with a warning in the log ``deadhead``; ``strict=True`` raises instead. ``session`` names the
session of a request, for a pruner with a state file, and ``workload`` its workload, one of the pruner's configuration.
"""

from __future__ import annotations

from inspect import iscoroutinefunction
from operator import attrgetter
from typing import Any, Callable, TypeVar

from ._engine import Pruner, route
from ._guard import Guard, is_sealed

Client = TypeVar("Client")
Name = Callable[[Any], "str | None"]
"""A function that says what a request names, its session or its workload."""

LENGTHS = (b"content-length", b"transfer-encoding")
HOLDERS = (
    "_client",
    "_api_client._httpx_client",
    "_api_client._async_httpx_client",
    "sdk_configuration.client",
    "sdk_configuration.async_client",
)
"""Where SDKs have their clients: those of Anthropic and OpenAI, Google's, Mistral's."""


def wrap(
    client: Client, pruner: Pruner | None = None, *, strict: bool = False, session: Name | None = None, workload: Name | None = None
) -> Client:
    """The client itself, whose requests are pruned from now on. What an earlier call put around it is replaced."""
    guard = Guard(pruner, strict=strict)

    def around(inner: Any) -> Any:
        inner = inner.inner if isinstance(inner, Transport) else inner
        return inner and Transport(inner, guard, session, workload)

    for one in clients(client):
        if sends_itself(one):
            one.send = sending(one, Transport(None, guard, session, workload))
            continue
        one._transport = around(one._transport)
        one._mounts = {pattern: around(inner) for pattern, inner in one._mounts.items()}
    return client


def sends_itself(client: Any) -> bool:
    """Whether the class of a client has a ``send`` of its own, which may go past the client's transport: google-genai's has a client for
    each event loop behind it."""
    owner = next(one for one in type(client).__mro__ if "send" in vars(one))
    return owner.__module__.split(".")[0] not in ("httpx", "httpx2")


def sending(client: Any, transport: Transport) -> Any:
    """A ``send`` of the client that prunes before its own."""
    own = getattr(client.send, "inner", client.send)

    async def asend(request: Any, **more: Any) -> Any:
        return await own(await transport.apruned(request), **more)

    def send(request: Any, **more: Any) -> Any:
        return own(transport.pruned(request), **more)

    made: Any = asend if iscoroutinefunction(own) else send
    made.inner = own
    return made


def clients(client: Any) -> list[Any]:
    """The clients of httpx in a client, if all of its requests go through them."""
    api = getattr(client, "_api_client", None)
    if getattr(api, "_use_aiohttp", bool)():
        raise TypeError(
            "google-genai sends asynchronous requests by aiohttp where that is installed, which nothing is wrapped around: "
            "give it HttpOptions(httpx_async_client=httpx2.AsyncClient()), then wrap it"
        )
    found = [client]
    for holder in HOLDERS:
        try:
            found.append(attrgetter(holder)(client))
        except AttributeError:
            continue
    found = [one for one in found if hasattr(one, "_mounts")]
    if not found:
        raise TypeError(f"{type(client).__name__} has no client of httpx or httpx2 in it: wrap the one that it is given")
    return found


class Transport:
    """Prunes requests before ``inner`` sends them, a transport of httpx or httpx2."""

    def __init__(self, inner: Any, guard: Guard, session: Name | None, workload: Name | None) -> None:
        self.inner = inner
        self.guard = guard
        self.names = (session, workload)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def __enter__(self) -> Transport:
        self.inner.__enter__()
        return self

    def __exit__(self, *why: Any) -> None:
        self.inner.__exit__(*why)

    async def __aenter__(self) -> Transport:
        await self.inner.__aenter__()
        return self

    async def __aexit__(self, *why: Any) -> None:
        await self.inner.__aexit__(*why)

    def handle_request(self, request: Any) -> Any:
        return self.inner.handle_request(self.pruned(request))

    async def handle_async_request(self, request: Any) -> Any:
        return await self.inner.handle_async_request(await self.apruned(request))

    def pruned(self, request: Any) -> Any:
        """The request that is sent for one."""
        if not self._wants(request):
            return request
        body = request.read()
        return renewed(request, body, self.guard.prune(body, *self._named(request)))

    async def apruned(self, request: Any) -> Any:
        """The request that is sent for one, for an event loop, which is not blocked while a large body is pruned."""
        if not self._wants(request):
            return request
        body = await request.aread()
        names = self._named(request)
        if self.guard.is_slow(body):
            # httpx itself needs it.
            import anyio.to_thread

            new = await anyio.to_thread.run_sync(self.guard.prune, body, *names)
        else:
            new = self.guard.prune(body, *names)
        return renewed(request, body, new)

    def _wants(self, request: Any) -> bool:
        if route(request.method, request.url.path) is None:
            return False
        if is_sealed(request.headers):
            self.guard.skip()
            return False
        return True

    def _named(self, request: Any) -> tuple[str | None, str | None, str | None]:
        """The names of the session and the workload, and of the model where the path has it."""
        session, workload = (name and name(request) for name in self.names)
        found = route(request.method, request.url.path)
        return session, workload, found and found[0]


def renewed(request: Any, old: bytes, new: bytes) -> Any:
    """The request with a new body."""
    if new is old:
        return request
    headers = [(name, value) for name, value in request.headers.raw if name.lower() not in LENGTHS]
    headers.append((b"Content-Length", str(len(new)).encode()))
    return type(request)(request.method, request.url, headers=headers, content=new, extensions=request.extensions)
