"""Messages that a framework keeps as objects: pruned as JSON, and the cuts brought back to the objects.

Each message is given a number, which the engine passes through as it does every key that it does not know. What is left of a result is
a text; a message whose number is gone is removed, and an answer without its thinking is one whose thinking is removed. A change of
anything else cannot be brought back, and the messages stay as they are.
"""

from __future__ import annotations

import enum
import json
from typing import Any, Sequence

from ._guard import Guard
from .errors import Error

NUMBER = "deadhead_number"

TEXT, BLOCKS = "reasoning_content", "thinking_blocks"
"""Where a message in OpenAI's form has its thinking, as LiteLLM sends it: the text, and the blocks."""


class Same(enum.Enum):
    """What becomes of a message that gets no new text."""

    KEPT = enum.auto()
    REMOVED = enum.auto()
    BARE = enum.auto()
    """It stays without its thinking."""


Fate = Same | str
"""What becomes of a message: a new text, or none."""


def message(
    role: str, text: str, *, calls: Sequence[tuple[str, str, Any]] = (), answers: str | None = None, thinking: Sequence[str] = ()
) -> dict[str, Any]:
    """A message in OpenAI's form: its text, the calls that it makes (id, name, arguments), or the call that it answers, and its thinking.

    The engine gets the texts of thinking, and that there are blocks. What else they hold, such as a signature, stays in the objects.
    """
    made: dict[str, Any] = {"role": role, "content": text}
    if any(thinking):
        made[TEXT] = "\n".join(thinking)
    if thinking:
        made[BLOCKS] = [{"type": "thinking"} for _ in thinking]
    if answers is not None:
        made["tool_call_id"] = answers
    if calls:
        functions = [{"name": name, "arguments": given if isinstance(given, str) else json.dumps(given, default=str)} for _, name, given in calls]
        made["tool_calls"] = [{"id": call[0], "type": "function", "function": function} for call, function in zip(calls, functions)]
    return made


def fates(guard: Guard, messages: Sequence[dict[str, Any]], *names: str | None) -> list[Fate]:
    """What becomes of each message. The names are those of the session, the workload and the model."""
    given = [{**message, NUMBER: number} for number, message in enumerate(messages)]
    body = {"messages": given}
    pruned = guard.value(body, *names)
    kept: list[Fate] = [Same.KEPT] * len(messages)
    if pruned is body:
        return kept
    found: list[Fate] = [Same.REMOVED] * len(messages)
    for new in pruned["messages"]:
        number = new.get(NUMBER)
        old = given[number] if number is not None else {}
        if new == old:
            found[number] = Same.KEPT
        elif old.get("role") == "tool" and isinstance(new.get("content"), str) and {**new, "content": ""} == {**old, "content": ""}:
            found[number] = new["content"]
        elif new == {key: value for key, value in old.items() if key not in (TEXT, BLOCKS)}:
            found[number] = Same.BARE
        else:
            guard.refuse(Error(f"a cut of message {number} cannot be brought back to its object"))
            return kept
    return found
