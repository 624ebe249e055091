"""The vendors' SDKs with a client that is wrapped: what each sends is what it sends without it, pruned."""

from __future__ import annotations

import asyncio
import json
import sys
from types import ModuleType
from typing import Any, Callable

import anthropic
import httpx2
import mistralai.client
import openai
import pytest
from google import genai
from conftest import long_body
from upstream import Upstream, upstream

import deadhead

CHAT = json.dumps(
    {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "done"}}], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}
).encode()
MESSAGE = json.dumps(
    {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "done"}], "stop_reason": "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
).encode()
CHUNK = b'data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"done"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def chat_messages() -> list[dict[str, Any]]:
    """The long body's messages in OpenAI's form."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "go"}]
    for i in range(8):
        call = {"id": f"call{i}abc", "type": "function", "function": {"name": "run", "arguments": "{}"}}
        messages += [{"role": "assistant", "content": "", "tool_calls": [call]}, {"role": "tool", "tool_call_id": f"call{i}abc", "content": "x" * 100_000}]
        messages += [{"role": "assistant", "content": "so"}, {"role": "user", "content": "on"}]
    return messages


def ask_anthropic(url: str, client: httpx2.Client) -> str:
    answer = anthropic.Anthropic(api_key="k", base_url=url, http_client=client).messages.create(**long_body())
    return answer.content[0].text


def ask_openai(url: str, client: httpx2.Client) -> str:
    sdk = openai.OpenAI(api_key="k", base_url=url + "/v1", http_client=client)
    return sdk.chat.completions.create(model="m", messages=chat_messages()).choices[0].message.content


def ask_openai_stream(url: str, client: httpx2.Client) -> str:
    sdk = openai.OpenAI(api_key="k", base_url=url + "/v1", http_client=client)
    return "".join(chunk.choices[0].delta.content or "" for chunk in sdk.chat.completions.create(model="m", messages=chat_messages(), stream=True))


def ask_mistral(url: str, client: httpx2.Client) -> str:
    sdk = mistralai.client.Mistral(api_key="k", server_url=url, client=client)
    return sdk.chat.complete(model="m", messages=chat_messages()).choices[0].message.content


def answering(at: Upstream, chat: bytes) -> Upstream:
    at.answers = {"/chat/completions": chat, "/messages": MESSAGE}
    return at


@pytest.mark.parametrize("ask, chat", [(ask_anthropic, b""), (ask_openai, CHAT), (ask_openai_stream, CHUNK), (ask_mistral, CHAT)])
def test_an_sdk_sends_what_it_would_pruned(ask: Callable[[str, httpx2.Client], str], chat: bytes) -> None:
    with upstream() as at:
        answering(at, chat)
        assert ask(at.url, httpx2.Client()) == "done"
        assert ask(at.url, deadhead.wrap(httpx2.Client())) == "done"
        plain, pruned = at.seen
        want = deadhead.Pruner().prune(plain.body)
        assert want.changed and pruned.body == want.body


def test_an_asynchronous_sdk(tmp_path) -> None:
    async def ask(url: str, pruner: deadhead.Pruner | None) -> str:
        async with anthropic.AsyncAnthropic(api_key="k", base_url=url) as sdk:
            return (await (deadhead.wrap(sdk, pruner) if pruner else sdk).messages.create(**long_body())).content[0].text

    with upstream() as at:
        answering(at, CHAT)
        assert asyncio.run(ask(at.url, None)) == "done"
        assert asyncio.run(ask(at.url, deadhead.Pruner(state=tmp_path / "state"))) == "done"
        plain, pruned = at.seen
        assert pruned.body == deadhead.Pruner().prune(plain.body).body != plain.body


def held(sdk: Any) -> list[Any]:
    """The clients of httpx or httpx2 that an SDK has."""
    if isinstance(sdk, genai.Client):
        return [sdk._api_client._httpx_client, sdk._api_client._async_httpx_client]
    if isinstance(sdk, mistralai.client.Mistral):
        return [sdk.sdk_configuration.client, sdk.sdk_configuration.async_client]
    return [sdk._client]


@pytest.mark.parametrize(
    "make",
    [
        lambda: openai.OpenAI(api_key="k", timeout=7, default_headers={"x-a": "b"}),
        lambda: openai.AsyncOpenAI(api_key="k"),
        lambda: anthropic.Anthropic(api_key="k", max_retries=3),
        lambda: anthropic.AsyncAnthropic(api_key="k"),
        lambda: genai.Client(api_key="k"),
        lambda: mistralai.client.Mistral(api_key="k"),
    ],
)
def test_an_sdk_keeps_every_setting(make: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "localhost")
    sdk = make()
    clients = held(sdk)
    before = [(dict(vars(client)), client._transport, client._mounts) for client in clients]
    own = {name: value for name, value in vars(sdk).items()}
    assert deadhead.wrap(sdk) is sdk and held(sdk) == clients and vars(sdk) == own
    for client, (settings, transport, mounts) in zip(clients, before):
        changed = {name for name, value in vars(client).items() if value is not settings.get(name)}
        if changed == {"send"}:
            # It has a client for each event loop behind it.
            assert client.send.inner == type(client).send.__get__(client)
            continue
        assert changed == {"_transport", "_mounts"} and vars(client).keys() == settings.keys()
        assert client._transport.inner is transport
        assert [(pattern, one and one.inner) for pattern, one in client._mounts.items()] == list(mounts.items())
        # What is kept open and how many connections there may be, by the pool itself.
        assert client._transport._pool is transport._pool
        assert any(mounts.values()), "the proxies of the environment"


@pytest.fixture(autouse=True)
def no_aiohttp(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another library of the tests brings aiohttp, which google-genai prefers."""
    monkeypatch.setattr(genai._api_client, "has_aiohttp", False)


def contents() -> list[dict[str, Any]]:
    """The long body's messages in Google's form."""
    said: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": "go"}]}]
    for _ in range(8):
        said += [{"role": "model", "parts": [{"function_call": {"name": "run", "args": {}}}]}]
        said += [{"role": "user", "parts": [{"function_response": {"name": "run", "response": {"output": "x" * 100_000}}}]}]
        said += [{"role": "model", "parts": [{"text": "so"}]}, {"role": "user", "parts": [{"text": "on"}]}]
    return said


def test_google_s_sdk_is_wrapped_in_every_event_loop() -> None:
    """It has a client for each loop, which knows nothing of the transport of the one in front."""
    answer = {"candidates": [{"content": {"role": "model", "parts": [{"text": "done"}]}, "finishReason": "STOP"}]}
    with upstream() as at:
        at.answers = {":generateContent": json.dumps(answer).encode()}
        ask = {"model": "gemini-2.5-pro", "contents": contents()}
        client = lambda: genai.Client(api_key="k", http_options=genai.types.HttpOptions(base_url=at.url))
        alone = client()
        alone.models.generate_content(**ask)
        pruner = deadhead.Pruner('{contextPruning: {mode: "aggressive"}}')
        sdk = deadhead.wrap(deadhead.wrap(client()), pruner)
        sdk.models.generate_content(**ask)
        for _ in range(2):
            assert asyncio.run(sdk.aio.models.generate_content(**ask)).text == "done"
        plain, *pruned = (one.body for one in at.seen)
        assert len(pruned) == 3 and all(len(one) < len(plain) / 2 for one in pruned)


def test_what_goes_past_every_client_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(genai._api_client, "has_aiohttp", True)
    monkeypatch.setitem(sys.modules, "aiohttp", ModuleType("aiohttp"))
    with pytest.raises(TypeError, match="by aiohttp"):
        deadhead.wrap(genai.Client(api_key="k"))
    options = genai.types.HttpOptions(httpx_async_client=httpx2.AsyncClient())
    deadhead.wrap(genai.Client(api_key="k", http_options=options))


def test_an_sdk_is_wrapped_whole() -> None:
    with upstream() as at:
        answering(at, CHAT)
        for sdk in (openai.OpenAI(api_key="k", base_url=at.url + "/v1"), deadhead.wrap(openai.OpenAI(api_key="k", base_url=at.url + "/v1"))):
            sdk.with_options(timeout=30).chat.completions.create(model="m", messages=chat_messages())
        plain, pruned = at.seen
        assert pruned.body == deadhead.Pruner().prune(plain.body).body != plain.body
