"""Every way that a page prints of putting deadhead before a model, with every policy that a page prints, for a model's id, an alias and
no model: something is cut."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Callable

import anthropic
import httpx
import httpx2
import openai
import pytest
from google import genai
from langchain.agents.middleware.types import ModelRequest as LangChainRequest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart

import deadhead
import deadhead.langchain
import deadhead.litellm
import deadhead.pydantic_ai

POLICIES = ["break-even", "break-even-more", "break-even-safe", "clawdbot-aggressive"]
TURNS = 24
OUTPUT = "line of the output\n" * 1500
Lengths = tuple[int, int]
"""What a request has before and after."""


def chat() -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for i in range(TURNS):
        call = {"id": f"c{i}", "type": "function", "function": {"name": "run", "arguments": json.dumps({"n": i})}}
        messages += [{"role": "assistant", "content": "so", "tool_calls": [call]}, {"role": "tool", "tool_call_id": f"c{i}", "content": OUTPUT}]
        messages += [{"role": "assistant", "content": "so"}, {"role": "user", "content": "on"}]
    return messages


def of_anthropic() -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for i in range(TURNS):
        call = {"type": "tool_use", "id": f"c{i}", "name": "run", "input": {"n": i}}
        result = {"type": "tool_result", "tool_use_id": f"c{i}", "content": OUTPUT}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        messages += [{"role": "assistant", "content": "so"}, {"role": "user", "content": "on"}]
    return messages


def of_google() -> list[dict[str, Any]]:
    contents: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": "go"}]}]
    for i in range(TURNS):
        result = {"functionResponse": {"name": "run", "response": {"output": OUTPUT}}}
        contents += [{"role": "model", "parts": [{"functionCall": {"name": "run", "args": {"n": i}}}]}, {"role": "user", "parts": [result]}]
        contents += [{"role": "model", "parts": [{"text": "so"}]}, {"role": "user", "parts": [{"text": "on"}]}]
    return contents


class Sent:
    """A transport that answers nothing useful, and keeps the length of what is sent."""

    def __init__(self, http: Any) -> None:
        self.http, self.length = http, 0

    def __call__(self, request: Any) -> Any:
        self.length = len(request.read())
        return self.http.Response(400, json={"error": {"message": "no", "type": "invalid_request_error"}})

    def client(self) -> Any:
        return self.http.Client(transport=self.http.MockTransport(self))


def by_sdk(http: Any, ask: Callable[[Any, str], Any]) -> Callable[[deadhead.Pruner, str], Lengths]:
    def lengths(pruner: deadhead.Pruner, model: str) -> Lengths:
        found = []
        for client in (plain := Sent(http)).client(), deadhead.wrap((pruned := Sent(http)).client(), pruner):
            with pytest.raises(Exception):
                ask(client, model)
        found = [plain.length, pruned.length]
        return found[0], found[1]

    return lengths


def ask_openai(client: Any, model: str) -> None:
    openai.OpenAI(api_key="k", http_client=client, max_retries=0).chat.completions.create(model=model, messages=chat())


def ask_anthropic(client: Any, model: str) -> None:
    sdk = anthropic.Anthropic(api_key="k", http_client=client, max_retries=0)
    sdk.messages.create(model=model, max_tokens=9, messages=of_anthropic())


def ask_google(client: Any, model: str) -> None:
    options = genai.types.HttpOptions(httpx_client=client)
    genai.Client(api_key="k", http_options=options).models.generate_content(model=model or "m", contents=of_google())


def langchain(pruner: deadhead.Pruner, model: str) -> Lengths:
    messages: list[Any] = [HumanMessage("go")]
    for i in range(TURNS):
        calls = [{"id": f"c{i}", "name": "run", "args": {"n": i}}]
        messages += [AIMessage("", tool_calls=calls), ToolMessage(OUTPUT, tool_call_id=f"c{i}"), AIMessage("so"), HumanMessage("on")]
    chat_model = ChatOpenAI(model=model or "m", api_key="k")
    request = LangChainRequest(
        model=chat_model, messages=messages, system_message=None, tools=[], tool_choice=None, response_format=None, state={"messages": messages}, runtime=None
    )
    pruned = deadhead.langchain.Pruning(pruner)._pruned(request)
    return tuple(sum(len(one.content) for one in each) for each in (messages, pruned.messages))


def pydantic_ai(pruner: deadhead.Pruner, model: str) -> Lengths:
    messages: list[Any] = [ModelRequest([UserPromptPart("go")])]
    for i in range(TURNS):
        messages += [
            ModelResponse([ToolCallPart("run", {"n": i}, tool_call_id=f"c{i}")], model_name=model or None),
            ModelRequest([ToolReturnPart("run", OUTPUT, tool_call_id=f"c{i}")]),
            ModelResponse([TextPart("so")], model_name=model or None),
            ModelRequest([UserPromptPart("on")]),
        ]
    pruned = deadhead.pydantic_ai.Pruning(pruner).pruned(messages)
    return len(repr(messages)), len(repr(pruned))


def litellm(pruner: deadhead.Pruner, model: str) -> Lengths:
    data = {"messages": chat(), **({"model": model} if model else {})}
    pruned = asyncio.run(deadhead.litellm.Pruning(pruner).async_pre_call_hook(None, None, data, "acompletion"))
    return len(json.dumps(data)), len(json.dumps(pruned))


RECIPES: dict[str, tuple[Callable[[deadhead.Pruner, str], Lengths], str]] = {
    "anthropic": (by_sdk(httpx2, ask_anthropic), "claude-sonnet-4-5"),
    "openai": (by_sdk(httpx2, ask_openai), "gpt-5.1"),
    "google-genai": (by_sdk(httpx, ask_google), "gemini-2.5-pro"),
    "langchain": (langchain, "gpt-5.1"),
    "pydantic-ai": (pydantic_ai, "gpt-5.1"),
    "litellm": (litellm, "gpt-5.1"),
}


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("named", ["id", "alias", "none"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_something_is_cut(recipe: str, named: str, policy: str) -> None:
    lengths, model = RECIPES[recipe]
    before, after = lengths(deadhead.Pruner(preset=policy), {"id": model, "alias": "our-own", "none": ""}[named])
    assert 0 < after < before
