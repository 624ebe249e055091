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

THINKING = ("thinking", "redacted_thinking", "reasoning", "reasoning_content")
"""The types of parts that are thinking."""

BESIDE = ("reasoning_content", "reasoning", "reasoning_details", "thinking_blocks")
"""Where a message has thinking beside its content."""


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
            calls = [(call["id"] or "", call["name"], call["args"]) for call in one.tool_calls]
            return message("assistant", one.text, calls=calls, thinking=[*map(thought, filter(is_thinking, parts(one))), *beside(one)])
        case ToolMessage():
            return message("tool", one.text if is_text(one) else "", answers=one.tool_call_id)
        case _:
            return message("user", one.text)


def parts(one: BaseMessage) -> list[Any]:
    """The parts of a content that is no text."""
    return one.content if isinstance(one.content, list) else []


def is_text(one: ToolMessage) -> bool:
    """Whether a result is text and nothing else."""
    return all(isinstance(part, str) or part.get("type") == "text" for part in parts(one))


def is_thinking(part: Any) -> bool:
    """Whether a part of a content is thinking, as one of the providers names it, or as LangChain does."""
    own = part.get("value", part) if isinstance(part, dict) else None
    return isinstance(own, dict) and own.get("type") in THINKING


def thought(part: Any) -> str:
    """The text of thinking, as far as it can be read."""
    if isinstance(part, dict):
        return thought(next((part[key] for key in (*THINKING, "summary", "text") if part.get(key)), ""))
    return "\n".join(map(thought, part)) if isinstance(part, list) else part if isinstance(part, str) else ""


def beside(one: AIMessage) -> list[str]:
    """Thinking beside the content. A text and the blocks that sign it are one."""
    given = one.additional_kwargs
    specific = given.get("provider_specific_fields") or {}
    found = [own for own in (*map(given.get, BESIDE), *map(specific.get, BESIDE)) if own]
    texts = [own for own in found if isinstance(own, str)]
    return [thought(own) for own in (texts[:1] or found)]


def bare(one: AnyMessage) -> AnyMessage:
    """A message without its thinking."""
    given = {key: value for key, value in one.additional_kwargs.items() if key not in BESIDE}
    if isinstance(specific := given.get("provider_specific_fields"), dict):
        given["provider_specific_fields"] = {key: value for key, value in specific.items() if key not in BESIDE}
    content = [part for part in parts(one) if not is_thinking(part)] if isinstance(one.content, list) else one.content
    return one.model_copy(update={"content": content, "additional_kwargs": given})


def changed(messages: list[AnyMessage], found: Sequence[Same | str]) -> list[AnyMessage]:
    """The messages that are sent; the very list where nothing is cut."""
    if all(fate is Same.KEPT for fate in found):
        return messages
    made: list[AnyMessage] = []
    for one, fate in zip(messages, found):
        if fate is Same.KEPT:
            made.append(one)
        elif fate is Same.BARE:
            made.append(bare(one))
        elif isinstance(fate, str):
            made.append(one.model_copy(update={"content": fate}))
    return made


__all__ = ["Pruning"]
