"""Thinking in the hooks of frameworks: the engine knows of it, and what it removes is gone from the objects. A conversation has the same
cuts by the command, by a client that is wrapped, and by each hook."""

from __future__ import annotations

import asyncio
import copy
import json
from typing import Any, Callable

import anthropic
import httpx2
import pytest
from conftest import TESTS, run
from langchain.agents import create_agent
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ThinkingPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from test_sdks import MESSAGE
from upstream import Upstream, upstream

import deadhead
import deadhead.langchain
import deadhead.litellm
import deadhead.pydantic_ai

OUTPUT = "line of the output\n" * 6950
POLICY = "break-even"
Turn = tuple[int, str]
"""How many calls, each after thinking, and the answer at the end; none while the loop is open."""
VECTORS = json.loads((TESTS / "turns.json").read_text())
TURNS: dict[str, list[Turn]] = VECTORS["turns"]
"""The tests of the proxy and of Node's fetch read them too."""
BOUND, FREE = VECTORS["models"]


def steps(turns: list[Turn]) -> list[tuple[str, Any]]:
    """A conversation: what the user says, calls by number, their results, and answers."""
    found: list[tuple[str, Any]] = []
    for calls, answer in turns:
        found.append(("user", "go"))
        for _ in range(calls):
            n = sum(kind == "call" for kind, _ in found)
            found += [("call", n), ("result", n)]
        found += [("answer", answer)] if answer else []
    return found if turns[-1][1] == "" else [*found, ("user", "on")]


def of_anthropic(turns: list[Turn]) -> list[dict[str, Any]]:
    def one(kind: str, value: Any) -> dict[str, Any]:
        thinking = {"type": "thinking", "thinking": f"why {value}", "signature": f"s{value}"}
        match kind:
            case "call":
                return {"role": "assistant", "content": [thinking, {"type": "tool_use", "id": f"c{value}", "name": "run", "input": {"n": value}}]}
            case "result":
                return {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"c{value}", "content": OUTPUT}]}
            case _:
                return {"role": "user" if kind == "user" else "assistant", "content": value}

    return [one(*step) for step in steps(turns)]


def of_litellm(turns: list[Turn], inside: bool) -> list[dict[str, Any]]:
    def one(kind: str, value: Any) -> dict[str, Any]:
        match kind:
            case "call":
                blocks = {"thinking_blocks": [{"type": "thinking", "thinking": f"why {value}", "signature": f"s{value}"}]}
                call = {"id": f"c{value}", "type": "function", "function": {"name": "run", "arguments": json.dumps({"n": value})}}
                return {"role": "assistant", "content": None, "tool_calls": [call], **({"provider_specific_fields": blocks} if inside else blocks)}
            case "result":
                return {"role": "tool", "tool_call_id": f"c{value}", "content": OUTPUT}
            case _:
                return {"role": "user" if kind == "user" else "assistant", "content": value}

    return [one(*step) for step in steps(turns)]


def of_langchain(turns: list[Turn]) -> list[BaseMessage]:
    def one(kind: str, value: Any) -> BaseMessage:
        match kind:
            case "call":
                thinking = {"type": "thinking", "thinking": f"why {value}", "signature": f"s{value}"}
                use = {"type": "tool_use", "id": f"c{value}", "name": "run", "input": {"n": value}}
                return AIMessage([thinking, use], tool_calls=[{"id": f"c{value}", "name": "run", "args": {"n": value}}])
            case "result":
                return ToolMessage(OUTPUT, tool_call_id=f"c{value}")
            case _:
                return HumanMessage(value) if kind == "user" else AIMessage(value)

    return [one(*step) for step in steps(turns)]


def of_pydantic_ai(turns: list[Turn], model: str) -> list[ModelMessage]:
    def one(kind: str, value: Any) -> ModelMessage:
        match kind:
            case "call":
                thinking = ThinkingPart(f"why {value}", signature=f"s{value}", provider_name="anthropic")
                return ModelResponse([thinking, ToolCallPart("run", {"n": value}, tool_call_id=f"c{value}")], model_name=model, provider_name="anthropic")
            case "result":
                return ModelRequest([ToolReturnPart("run", OUTPUT, tool_call_id=f"c{value}")])
            case _:
                return ModelRequest([UserPromptPart(value)]) if kind == "user" else ModelResponse([TextPart(value)], model_name=model)

    return [one(*step) for step in steps(turns)]


def wire(at: Upstream) -> list[dict[str, Any]]:
    return json.loads(at.seen[-1].body)["messages"]


def by_command(turns: list[Turn], model: str) -> list[dict[str, Any]]:
    body = {"model": model, "max_tokens": 9, "messages": of_anthropic(turns)}
    done = run("prune", "-q", "--preset", POLICY, stdin=json.dumps(body).encode())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["messages"]


def by_wrap(turns: list[Turn], model: str) -> list[dict[str, Any]]:
    with upstream() as at:
        at.answers = {"/messages": MESSAGE}
        client = deadhead.wrap(httpx2.Client(), deadhead.Pruner(preset=POLICY))
        sdk = anthropic.Anthropic(api_key="k", base_url=at.url, http_client=client)
        sdk.messages.create(model=model, max_tokens=9, messages=of_anthropic(turns))
        return wire(at)


def by_langchain(turns: list[Turn], model: str) -> list[dict[str, Any]]:
    with upstream() as at:
        at.answers = {"/messages": MESSAGE}
        given = of_langchain(turns)
        before = copy.deepcopy(given)
        chat = ChatAnthropic(model=model, base_url=at.url, api_key="k")
        create_agent(chat, [], middleware=[deadhead.langchain.Pruning(deadhead.Pruner(preset=POLICY))]).invoke({"messages": given})
        assert [one.content for one in given] == [one.content for one in before], "the state keeps all of it"
        return wire(at)


def by_pydantic_ai(turns: list[Turn], model: str) -> list[dict[str, Any]]:
    with upstream() as at:
        at.answers = {"/messages": MESSAGE}
        chat = AnthropicModel(model, provider=AnthropicProvider(base_url=at.url, api_key="k"))
        pruning = deadhead.pydantic_ai.Pruning(deadhead.Pruner(preset=POLICY))
        Agent(chat, capabilities=[ProcessHistory(pruning)]).run_sync(message_history=of_pydantic_ai(turns, model), model_settings={"max_tokens": 9})
        return wire(at)


def by_litellm(inside: bool) -> Callable[[list[Turn], str], list[dict[str, Any]]]:
    def messages(turns: list[Turn], model: str) -> list[dict[str, Any]]:
        data = {"model": f"anthropic/{model}", "messages": of_litellm(turns, inside)}
        hook = deadhead.litellm.Pruning(deadhead.Pruner(preset=POLICY))
        return asyncio.run(hook.async_pre_call_hook(None, None, data, "acompletion"))["messages"]

    return messages


def what_is_left(messages: list[dict[str, Any]]) -> tuple[list[bool], list[bool]]:
    """Of each result whether it is whole, and of each call whether thinking stands before it."""
    whole, thinking = [], []
    for one in messages:
        blocks = one["content"] if isinstance(one["content"], list) else []
        if one["role"] == "tool":
            whole.append(one["content"] == OUTPUT)
        for block in blocks:
            if block["type"] == "tool_result":
                content = block["content"]
                whole.append((content if isinstance(content, str) else content[0]["text"]) == OUTPUT)
        if one.get("tool_calls") or any(block["type"] == "tool_use" for block in blocks):
            beside = one.get("thinking_blocks") or one.get("provider_specific_fields", {}).get("thinking_blocks")
            thinking.append(bool(beside) or any(block["type"] == "thinking" for block in blocks))
    return whole, thinking


ENTRANCES: dict[str, Callable[[list[Turn], str], list[dict[str, Any]]]] = {
    "wrap": by_wrap,
    "langchain": by_langchain,
    "pydantic-ai": by_pydantic_ai,
    "litellm": by_litellm(False),
    "litellm, inside": by_litellm(True),
}


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize("turns", TURNS.values(), ids=TURNS)
@pytest.mark.parametrize("model", VECTORS["models"])
def test_the_cuts_are_those_of_the_command(entrance: str, turns: list[Turn], model: str) -> None:
    want = what_is_left(by_command(turns, model))
    assert what_is_left(ENTRANCES[entrance](turns, model)) == want


def test_the_law_is_about_something() -> None:
    """An open loop is whole where thinking is bound, and a closed one loses thinking with its results."""
    assert what_is_left(by_command(TURNS["open"], BOUND)) == ([True] * 24, [True] * 24)
    assert False in what_is_left(by_command(TURNS["open"], FREE))[0]
    whole, thinking = what_is_left(by_command(TURNS["closed"], BOUND))
    assert False in whole and False in thinking


@pytest.mark.parametrize(
    "content, given",
    [
        ([{"type": "redacted_thinking", "data": "e"}], {}),
        ([{"type": "non_standard", "value": {"type": "redacted_thinking", "data": "e"}}], {}),
        ([{"type": "reasoning", "reasoning": "why", "extras": {"signature": "s"}}], {}),
        ([{"type": "reasoning", "summary": [{"type": "summary_text", "text": "why"}], "encrypted_content": "e"}], {}),
        ([{"type": "reasoning_content", "reasoning_content": {"text": "why", "signature": "s"}}], {}),
        ([], {"reasoning_content": "why"}),
        ([], {"reasoning_details": [{"type": "reasoning.text", "text": "why", "signature": "s"}]}),
        ([], {"provider_specific_fields": {"x": 1, "thinking_blocks": [{"type": "thinking", "thinking": "why", "signature": "s"}]}}),
    ],
)
def test_langchain_has_thinking_in_many_forms(content: list[dict[str, Any]], given: dict[str, Any]) -> None:
    """By the converters of langchain-core 1.8 and the packages of providers."""
    text = {"type": "text", "text": "so"}
    one = AIMessage([*content, text], additional_kwargs={"y": 2, **given})
    told = deadhead.langchain.as_json(one)
    assert told["thinking_blocks"] and told.get("reasoning_content", "why") == "why" and told["content"] == "so"
    left = deadhead.langchain.bare(one)
    assert left.content == [text] and "thinking_blocks" not in deadhead.langchain.as_json(left)
    assert left.additional_kwargs == {"y": 2, **({"provider_specific_fields": {"x": 1}} if "provider_specific_fields" in given else {})}


def test_the_hook_of_litellm_passes_the_whole_body() -> None:
    """What LiteLLM adds is left out; it holds objects that are no JSON."""

    class Seeing:
        has_state, workloads = False, ()

        def prune(self, body: dict[str, Any], **_: object) -> Any:
            self.body = body
            return type("Result", (), {"changed": False, "body": body})

    own = {"metadata": {"x": object()}, "proxy_server_request": {}, "litellm_call_id": "1", "api_key": "k", "timeout": 3}
    body = {"model": "m", "messages": [], "prompt_cache_key": "p", "context_management": {}, "made_later": 1}
    pruner: Any = Seeing()
    asyncio.run(deadhead.litellm.Pruning(pruner).async_pre_call_hook(None, None, {**body, **own}, "acompletion"))
    assert pruner.body == body
