"""A history processor for agents of Pydantic AI.

    from pydantic_ai import Agent
    from pydantic_ai.capabilities import ProcessHistory
    import deadhead.pydantic_ai

    agent = Agent(model, capabilities=[ProcessHistory(deadhead.pydantic_ai.Pruning())])

What is cut stays cut for the rest of a run, as Pydantic AI continues with the history that a processor returns. It fails open: a
history that cannot be pruned is sent as it is, with a warning in the log ``deadhead``; ``strict=True`` raises instead.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Callable, Sequence

from ._extra import Extra

with Extra("pydantic-ai"):
    import anyio.to_thread
    from pydantic_ai.messages import (
        ModelMessage,
        ModelRequest,
        ModelResponse,
        RetryPromptPart,
        SystemPromptPart,
        TextPart,
        ThinkingPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

from ._engine import Pruner
from ._guard import Guard
from ._messages import Same, fates, message

Name = Callable[[Sequence[ModelMessage]], "str | None"]

class Pruning:
    """Prunes a history. ``session`` names its session, for a pruner with a state file; ``workload`` its workload."""

    def __init__(
        self, pruner: Pruner | None = None, *, strict: bool = False, session: Name | None = None, workload: Name | None = None
    ) -> None:
        self.guard = Guard(pruner, strict=strict)
        self.names = (session, workload)

    async def __call__(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        return await anyio.to_thread.run_sync(self.pruned, messages)

    def pruned(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """The history that is sent; the very list where nothing is cut."""
        places, texts = [], []
        for at, one in enumerate(messages):
            for part, text in response(one) if isinstance(one, ModelResponse) else request(one):
                places.append((at, part))
                texts.append(text)
        answers = (one.model_name for one in reversed(messages) if isinstance(one, ModelResponse))
        found = fates(self.guard, texts, *(name and name(messages) for name in self.names), next(answers, None))
        if all(fate is Same.KEPT for fate in found):
            return messages
        by_place = dict(zip(places, found))
        made: list[ModelMessage] = []
        for at, one in enumerate(messages):
            if isinstance(one, ModelResponse):
                fate = by_place.get((at, 0), Same.KEPT)
                if fate is not Same.REMOVED:
                    made.append(bare(one) if fate is Same.BARE else one)
                continue
            own = [by_place.get((at, i), Same.KEPT) for i in range(len(one.parts))]
            left = [new for new in map(changed, one.parts, own) if new is not None]
            if left or not one.parts:
                made.append(one if all(fate is Same.KEPT for fate in own) else dataclasses.replace(one, parts=left))
        return made


def changed(part: Any, fate: Same | str) -> Any:
    """What becomes of a part; None where it is removed."""
    if isinstance(fate, str):
        return dataclasses.replace(part, content=fate)
    return part if fate is Same.KEPT else None


def request(one: ModelRequest) -> list[tuple[int, dict[str, Any]]]:
    """The parts of a request as the engine reads them, by their places. What it need not know is not among them."""
    found = []
    for at, part in enumerate(one.parts):
        match part:
            case SystemPromptPart():
                found.append((at, message("system", part.content)))
            case UserPromptPart():
                found.append((at, message("user", text_of(part.content))))
            case ToolReturnPart():
                # What carries files, or is of a kind of its own, has no text there, so that it is never cut.
                text = part.model_response_str() if type(part) is ToolReturnPart and not part.files else ""
                found.append((at, message("tool", text, answers=part.tool_call_id)))
            case RetryPromptPart() if part.tool_name is not None:
                found.append((at, message("tool", "", answers=part.tool_call_id)))
            case RetryPromptPart():
                found.append((at, message("user", part.model_response())))
    return found


def response(one: ModelResponse) -> list[tuple[int, dict[str, Any]]]:
    """An answer as the engine reads it: one message, whatever its parts."""
    text = "\n".join(part.content for part in one.parts if isinstance(part, TextPart))
    calls = [(part.tool_call_id, part.tool_name, part.args_as_json_str()) for part in one.parts if isinstance(part, ToolCallPart)]
    thinking = [part.content for part in one.parts if isinstance(part, ThinkingPart)]
    return [(0, message("assistant", text, calls=calls, thinking=thinking))]


def bare(one: ModelResponse) -> ModelResponse:
    """An answer without its thinking."""
    return dataclasses.replace(one, parts=[part for part in one.parts if not isinstance(part, ThinkingPart)])


def text_of(content: Any) -> str:
    """The text of what a user said."""
    return content if isinstance(content, str) else "\n".join(part for part in content if isinstance(part, str))


__all__ = ["Pruning"]
