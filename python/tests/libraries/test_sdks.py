"""The vendors' SDKs with the transport: what each sends is what it sends without it, pruned."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Callable

import anthropic
import httpx2
import mistralai.client
import openai
import pytest
from conftest import long_body
from upstream import Upstream, upstream

import deadhead
import deadhead.httpx2

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
        assert ask(at.url, httpx2.Client(transport=deadhead.httpx2.Transport())) == "done"
        plain, pruned = at.seen
        want = deadhead.Pruner().prune(plain.body)
        assert want.changed and pruned.body == want.body


def test_an_asynchronous_sdk(tmp_path) -> None:
    async def ask(url: str, transport: httpx2.AsyncBaseTransport | None) -> str:
        async with httpx2.AsyncClient(transport=transport) as client:
            sdk = anthropic.AsyncAnthropic(api_key="k", base_url=url, http_client=client)
            return (await sdk.messages.create(**long_body())).content[0].text

    with upstream() as at:
        answering(at, CHAT)
        assert asyncio.run(ask(at.url, None)) == "done"
        assert asyncio.run(ask(at.url, deadhead.httpx2.AsyncTransport(deadhead.Pruner(state=tmp_path / "state")))) == "done"
        plain, pruned = at.seen
        assert pruned.body == deadhead.Pruner().prune(plain.body).body != plain.body
