// deadhead/fetch in the SDKs that take one, installed from npm: packaging/test --libraries.
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, streamText } from "ai";
import assert from "node:assert/strict";
import test from "node:test";
import { command, longBody, provider, pruning } from "./support.js";

function chatBody() {
  const messages = [{ role: "user", content: "go" }];
  for (let i = 0; i < 8; i += 1) {
    const call = { id: `c${i}`, type: "function", function: { name: "run", arguments: "{}" } };
    messages.push({ role: "assistant", content: "", tool_calls: [call] }, { role: "tool", tool_call_id: `c${i}`, content: "x".repeat(100_000) });
    messages.push({ role: "assistant", content: "so" }, { role: "user", content: "on" });
  }
  return { model: "m", messages };
}

test("the SDKs send what they would, pruned", async (t) => {
  const { url, seen } = await provider(t);
  const fetch = pruning(t);
  const asks = [
    (fetch) => new Anthropic({ apiKey: "k", baseURL: url, fetch }).messages.create(longBody()).then((answer) => answer.content[0].text),
    (fetch) => new Anthropic({ apiKey: "k", baseURL: url, fetch }).messages.stream(longBody()).finalText(),
    (fetch) => new OpenAI({ apiKey: "k", baseURL: `${url}/v1`, fetch }).chat.completions.create(chatBody()).then((answer) => answer.choices[0].message.content),
    (fetch) => generateText({ model: createAnthropic({ apiKey: "k", baseURL: `${url}/v1`, fetch })("claude-sonnet-4-5"), messages: aiMessages() }).then(({ text }) => text),
    (fetch) => streamText({ model: createAnthropic({ apiKey: "k", baseURL: `${url}/v1`, fetch })("claude-sonnet-4-5"), messages: aiMessages() }).text,
  ];
  for (const [i, ask] of asks.entries()) {
    assert.match(await ask(globalThis.fetch), /^done/, `SDK ${i}`);
    assert.match(await ask(fetch), /^done/, `SDK ${i}`);
    const [plain, pruned] = seen.slice(-2);
    const want = command(Buffer.concat([plain.body, Buffer.from("\n")])).toString().trimEnd();
    assert.ok(want.length < plain.body.length, `SDK ${i}`);
    assert.equal(pruned.body.toString(), want, `SDK ${i}`);
  }
});

function aiMessages() {
  const messages = [{ role: "user", content: "go" }];
  for (let i = 0; i < 8; i += 1) {
    messages.push({ role: "assistant", content: [{ type: "tool-call", toolCallId: `c${i}`, toolName: "run", input: {} }] });
    messages.push({ role: "tool", content: [{ type: "tool-result", toolCallId: `c${i}`, toolName: "run", output: { type: "text", value: "x".repeat(100_000) } }] });
    messages.push({ role: "assistant", content: "so" }, { role: "user", content: "on" });
  }
  return messages;
}
