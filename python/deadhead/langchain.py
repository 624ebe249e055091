"""A middleware for agents of LangChain, which prunes what the model is sent.

    from langchain.agents import create_agent
    import deadhead.langchain

    agent = create_agent(model, tools, middleware=[deadhead.langchain.Pruning()])

The agent's state keeps every message; only what a request sends is cut. It fails open: what cannot be pruned is sent as it is, with a
warning in the log ``deadhead``; ``strict=True`` raises instead.
"""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Sequence

from ._extra import Extra

with Extra("langchain"):
    import anyio.to_thread
    from langchain.agents.middleware import AgentMiddleware
    from langchain.agents.middleware.types import ModelRequest, ModelResponse
    from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, SystemMessage, ToolMessage

from ._engine import Pruner
from ._guard import Guard
from ._messages import Same, fates, message

Name = Callable[[ModelRequest[Any]], "str | None"]


class Pruning(AgentMiddleware[Any, Any, Any]):
    """Prunes the messages of each request. ``session`` names its session, for a pruner with a state file; ``workload`` its workload."""

    def __init__(
        self, pruner: Pruner | None = None, *, strict: bool = False, session: Name | None = None, workload: Name | None = None
    ) -> None:
        super().__init__()
        self.guard = Guard(pruner, strict=strict)
        self.names = (session, workload)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any] | AIMessage | Any:
        return handler(self._pruned(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any] | AIMessage | Any:
        return await handler(await anyio.to_thread.run_sync(self._pruned, request))

    def _pruned(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        names = [*(name and name(request) for name in self.names), model_of(request.model)]
        first = [as_json(request.system_message)] if request.system_message else []
        rest = fates(self.guard, [*first, *map(as_json, request.messages)], *names)[len(first) :]
        messages = changed(request.messages, rest)
        return request if messages is request.messages else request.override(messages=messages)


def model_of(model: Any) -> str | None:
    """The id of a model, by whichever name its class has for it."""
    found = (getattr(model, name, None) for name in ("model_name", "model", "model_id"))
    return next((name for name in found if isinstance(name, str)), None)


def as_json(one: BaseMessage) -> dict[str, Any]:
    """A message as the engine reads it. A result that is not all text has none there, so that it is never cut."""
    match one:
        case SystemMessage():
            return message("system", one.text)
        case AIMessage():
            return message("assistant", one.text, calls=[(call["id"] or "", call["name"], call["args"]) for call in one.tool_calls])
        case ToolMessage():
            return message("tool", one.text if is_text(one) else "", answers=one.tool_call_id)
        case _:
            return message("user", one.text)


def is_text(one: ToolMessage) -> bool:
    """Whether a result is text and nothing else."""
    parts = one.content if isinstance(one.content, list) else []
    return all(isinstance(part, str) or part.get("type") == "text" for part in parts)


def changed(messages: list[AnyMessage], found: Sequence[Same | str]) -> list[AnyMessage]:
    """The messages that are sent; the very list where nothing is cut."""
    if all(fate is Same.KEPT for fate in found):
        return messages
    made: list[AnyMessage] = []
    for one, fate in zip(messages, found):
        if fate is Same.KEPT:
            made.append(one)
        elif isinstance(fate, str):
            made.append(one.model_copy(update={"content": fate}))
    return made


__all__ = ["Pruning"]
