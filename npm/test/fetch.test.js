// The installed package: the command, and a fetch before a provider on this machine. packaging/test installs it and runs this beside it.
import { spawn, spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import assert from "node:assert/strict";
import test from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, streamText } from "ai";
import { createFetch } from "deadhead/fetch";

const shim = join(process.cwd(), "node_modules", ".bin", "deadhead");
const SSE = [
  ["message_start", { type: "message_start", message: { id: "1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } }],
  ["content_block_start", { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }],
  ["content_block_delta", { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "done é" } }],
  ["content_block_stop", { type: "content_block_stop", index: 0 }],
  ["message_delta", { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } }],
  ["message_stop", { type: "message_stop" }],
].map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
const MESSAGE = { id: "1", type: "message", role: "assistant", model: "m", content: [{ type: "text", text: "done" }], stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
const CHAT = { id: "1", object: "chat.completion", created: 1, model: "m", choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "done" } }], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } };

function longBody(turns = 8, size = 100_000) {
  const messages = [{ role: "user", content: "go" }];
  for (let i = 0; i < turns; i += 1) {
    messages.push({ role: "assistant", content: [{ type: "tool_use", id: `c${i}`, name: "run", input: {} }] });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `c${i}`, content: "x".repeat(size) }] });
    messages.push({ role: "assistant", content: "so" }, { role: "user", content: "on" });
  }
  return { model: "claude-sonnet-4-5", max_tokens: 1, messages };
}

function chatBody() {
  const messages = [{ role: "user", content: "go" }];
  for (let i = 0; i < 8; i += 1) {
    const call = { id: `c${i}`, type: "function", function: { name: "run", arguments: "{}" } };
    messages.push({ role: "assistant", content: "", tool_calls: [call] }, { role: "tool", tool_call_id: `c${i}`, content: "x".repeat(100_000) });
    messages.push({ role: "assistant", content: "so" }, { role: "user", content: "on" });
  }
  return { model: "m", messages };
}

// What the command makes of a body.
function command(body, ...args) {
  const done = spawnSync(shim, ["prune", "-q", ...args], { input: body, maxBuffer: 1 << 28 });
  assert.equal(done.status, 0, done.stderr.toString());
  return done.stdout;
}

async function provider(t) {
  const seen = [];
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces);
    seen.push({ url: request.url, headers: request.headers, body });
    if (request.url.endsWith("/chat/completions")) return response.setHeader("content-type", "application/json").end(JSON.stringify(CHAT));
    let streams = false;
    try {
      streams = JSON.parse(body.toString()).stream === true;
    } catch {}
    if (!streams) return response.setHeader("content-type", "application/json").end(JSON.stringify(MESSAGE));
    response.setHeader("content-type", "text/event-stream");
    for (const event of SSE) response.write(event);
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, seen };
}

function pruning(t, options) {
  const made = createFetch(options);
  t.after(() => made.close());
  return made;
}

test("the command is the program", () => {
  assert.match(spawnSync(shim, ["--version"]).stdout.toString(), /^deadhead \d/);
  assert.equal(spawnSync(shim, ["prune", "/nonexistent"]).status, 2);
});

test("a body is pruned on the wire as the command prunes it", async (t) => {
  const { url, seen } = await provider(t);
  const fetch = pruning(t);
  const spelled = JSON.stringify(longBody(), null, 1);
  const want = command(spelled.replaceAll("\n", " ") + "\n").toString().trimEnd();
  for (const body of [spelled, Buffer.from(spelled), new TextEncoder().encode(spelled).buffer]) {
    await fetch(`${url}/v1/messages`, { method: "POST", body, headers: { "content-length": String(spelled.length) } });
    assert.equal(seen.at(-1).body.toString(), want);
  }
  await fetch(new Request(`${url}/v1/messages`, { method: "POST", body: spelled, headers: { "x-a": "b" } }));
  assert.equal(seen.at(-1).body.toString(), want);
  assert.equal(seen.at(-1).headers["x-a"], "b");
  assert.deepEqual(fetch.counts, { pruned: 4, unchanged: 0, skipped: 0, failed: 0 });
});

test("what is not cut, and what is no transcript, goes out as it came", async (t) => {
  const { url, seen } = await provider(t);
  const fetch = pruning(t);
  const short = '{"model": "m",\n "max_tokens": 1,  "messages": [{"role": "user", "content": "é"}]}\n';
  for (const [path, body, headers] of [
    ["/v1/messages", short, {}],
    ["/v1/messages", "{no json", {}],
    ["/v1/messages", "[]", {}],
    ["/v1/files", JSON.stringify(longBody()), {}],
    ["/v1/messages", JSON.stringify(longBody()), { "content-encoding": "zstd" }],
    ["/v1/messages", JSON.stringify(longBody()), { authorization: "AWS4-HMAC-SHA256 x" }],
    ["/v1/messages", '{"unknown": 1}', {}],
  ]) {
    await fetch(url + path, { method: "POST", body, headers });
    assert.equal(seen.at(-1).body.toString(), body);
  }
  await fetch(`${url}/v1/models`);
  assert.equal(fetch.counts.pruned, 0);
});

test("a hundred at once keep their order", async (t) => {
  const { url, seen } = await provider(t);
  const fetch = pruning(t);
  const bodies = Array.from({ length: 100 }, (_, i) => JSON.stringify({ ...longBody(i % 5 === 0 ? 8 : 1, 20_000 + i), max_tokens: i + 1 }));
  const wants = command(bodies.join("\n") + "\n").toString().trimEnd().split("\n");
  await Promise.all(bodies.map((body) => fetch(`${url}/v1/messages`, { method: "POST", body })));
  assert.deepEqual(seen.map(({ body }) => body.toString()).sort(), wants.sort());
});

test("it fails open, starts again, and fails closed where it is strict", async (t) => {
  const { url, seen } = await provider(t);
  const folder = mkdtempSync(join(tmpdir(), "deadhead-"));
  // Prunes one body, then ends without an answer; after a while it is started anew.
  const flaky = join(folder, "flaky");
  writeFileSync(flaky, `#!/bin/bash\nread -r line; printf '%s\\n' "$line"; read -r line; exit 1\n`, { mode: 0o755 });
  const errors = [];
  const fetch = pruning(t, { program: flaky, onError: (error) => errors.push(error.message) });
  const body = JSON.stringify(longBody());
  const send = (how = fetch) => how(`${url}/v1/messages`, { method: "POST", body });
  await send();
  await send();
  await send();
  assert.deepEqual(fetch.counts, { pruned: 0, unchanged: 1, skipped: 0, failed: 2 });
  await new Promise((resolve) => setTimeout(resolve, 1100));
  await send();
  assert.equal(fetch.counts.unchanged, 2);
  assert.ok(seen.length === 4 && seen.every((one) => one.body.toString() === body) && errors.length === 2);
  const silent = join(folder, "silent");
  writeFileSync(silent, "#!/bin/bash\nexec sleep 60\n", { mode: 0o755 });
  await send(pruning(t, { program: silent, timeout: 100, onError: () => {} }));
  assert.equal(seen.length, 5);
  await assert.rejects(send(pruning(t, { program: silent, timeout: 100, strict: true })), /no answer within 100 ms/);
  await assert.rejects(send(pruning(t, { program: "/nonexistent", strict: true })), /ENOENT/);
  assert.equal(seen.length, 5);
});

test("Node ends although the process behind it runs", async (t) => {
  const { url } = await provider(t);
  const script = `import { createFetch } from "deadhead/fetch"; const f = createFetch(); await (await f(${JSON.stringify(url)} + "/v1/messages", { method: "POST", body: ${JSON.stringify('{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}')} })).text(); console.log(JSON.stringify(f.counts));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (piece) => (output += piece));
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
  assert.match(output, /"unchanged":1/);
});

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
