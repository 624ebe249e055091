"""Agents of LangChain and Pydantic AI before a provider on this machine: what is on the wire with the module and without."""

from __future__ import annotations

import asyncio
import json
import pathlib
from typing import Any

import pytest
from conftest import WORKLOADS, audit
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from test_httpx import Broken
from test_sdks import CHAT, CHUNK
from upstream import Upstream, upstream

import deadhead
import deadhead.langchain
import deadhead.pydantic_ai

SIZE = 100_000
LOOP = asyncio.new_event_loop()
"""One for all tests: the frameworks keep their clients, which belong to a loop."""
DROPPING = {"passes": {"on": ["turn-drop"]}}


def langchain_history() -> list[BaseMessage]:
    messages: list[BaseMessage] = [HumanMessage("go")]
    for i in range(8):
        calls = [{"id": f"c{i}", "name": "run", "args": {"n": i}}]
        messages += [AIMessage("", tool_calls=calls), ToolMessage("x" * SIZE, tool_call_id=f"c{i}", artifact=i), AIMessage("so"), HumanMessage("on")]
    return messages


def pydantic_history() -> list[ModelMessage]:
    messages: list[ModelMessage] = [ModelRequest([UserPromptPart("go")])]
    for i in range(8):
        messages += [
            ModelResponse([ToolCallPart("run", {"n": i}, tool_call_id=f"c{i}")]),
            ModelRequest([ToolReturnPart("run", {"lines": ["x" * SIZE]}, tool_call_id=f"c{i}")]),
            ModelResponse([TextPart("so")]),
            ModelRequest([UserPromptPart("on")]),
        ]
    return messages


def ask_langchain(at: Upstream, *given: Any, stream: bool = False) -> list[dict[str, Any]]:
    at.answers = {"/chat/completions": CHUNK if stream else CHAT}
    model = ChatOpenAI(model="m", base_url=at.url + "/v1", api_key="k", streaming=stream)
    history = langchain_history()
    agent = create_agent(model, [], system_prompt="be brief", middleware=[deadhead.langchain.Pruning(*given)] if given else [])
    state = agent.invoke({"messages": history}) if not stream else LOOP.run_until_complete(agent.ainvoke({"messages": history}))
    assert state["messages"][-1].content == "done"
    assert [len(message.content) for message in state["messages"][:-1]] == [len(message.content) for message in history], "the state keeps all of it"
    return json.loads(at.seen[-1].body)["messages"]


def ask_pydantic(at: Upstream, *given: Any, stream: bool = False) -> list[dict[str, Any]]:
    at.answers = {"/chat/completions": CHUNK if stream else CHAT}
    model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=at.url + "/v1", api_key="k"))
    agent = Agent(model, instructions="be brief", capabilities=[ProcessHistory(deadhead.pydantic_ai.Pruning(*given))] if given else [])

    async def streamed() -> str:
        async with agent.run_stream("now", message_history=pydantic_history()) as run:
            return await run.get_output()

    output = LOOP.run_until_complete(streamed()) if stream else agent.run_sync("now", message_history=pydantic_history()).output
    assert output == "done"
    return json.loads(at.seen[-1].body)["messages"]


@pytest.mark.parametrize("ask", [ask_langchain, ask_pydantic])
@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("config", [{}, DROPPING, {"contextPruning": {"mode": "off"}}])
def test_the_wire_has_the_pruned_body(ask: Any, stream: bool, config: dict[str, Any]) -> None:
    with upstream() as at:
        plain = ask(at, stream=stream)
        pruned = ask(at, deadhead.Pruner(config), stream=stream)
        want = deadhead.Pruner(config).prune({"messages": plain}).body["messages"]
        assert (pruned != plain) == (config.get("contextPruning") is None)
        assert pruned == want


@pytest.mark.parametrize("ask, module", [(ask_langchain, deadhead.langchain), (ask_pydantic, deadhead.pydantic_ai)])
def test_it_fails_open_unless_it_is_strict(ask: Any, module: Any) -> None:
    with upstream() as at:
        assert ask(at, Broken()) == ask(at)
    with pytest.raises(deadhead.InputError):
        pruning = module.Pruning(Broken(), strict=True)
        if module is deadhead.langchain:
            create_agent(ChatOpenAI(model="m", api_key="k"), [], middleware=[pruning]).invoke({"messages": langchain_history()})
        else:
            pruning.pruned(pydantic_history())


def test_a_cut_that_has_no_object_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd:
        """A pruner that changes what a user said."""

        has_state = False

        def prune(self, body: dict[str, Any], **_: object) -> Any:
            messages = [{**message, "content": "?"} if message["role"] == "user" else message for message in body["messages"]]
            return type("Result", (), {"changed": True, "body": {"messages": messages}})

    history = pydantic_history()
    pruning = deadhead.pydantic_ai.Pruning(Odd())
    assert pruning.pruned(history) is history and pruning.guard.requests["failed"] == 1 and pruning.guard.requests["pruned"] == 0
    with pytest.raises(deadhead.Error, match="cannot be brought back"):
        deadhead.pydantic_ai.Pruning(Odd(), strict=True).pruned(history)


def test_a_request_has_its_session_and_its_workload(tmp_path: pathlib.Path) -> None:
    pruner = deadhead.Pruner(WORKLOADS, state=tmp_path / "state")
    names = {"session": lambda given: type(given).__name__, "workload": lambda _: "chat"}
    history = pydantic_history()
    assert deadhead.pydantic_ai.Pruning(pruner, **names).pruned(history) != history
    with upstream() as at:
        at.answers = {"/chat/completions": CHAT}
        model = ChatOpenAI(model="m", base_url=at.url + "/v1", api_key="k")
        create_agent(model, [], middleware=[deadhead.langchain.Pruning(pruner, **names)]).invoke({"messages": langchain_history()})
        assert len(at.seen[-1].body) < 8 * SIZE
    assert [row["session"] for row in audit(tmp_path / "state", "chat")] == ["list", "ModelRequest"]
