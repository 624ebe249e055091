// The installed plugin in the published OpenClaw, which needs Node 24: it is loaded and selected, and its engine prunes.
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import assert from "node:assert/strict";
import test from "node:test";
import { promisify } from "node:util";
import register from "deadhead-openclaw";

const modules = join(process.cwd(), "node_modules");
const home = mkdtempSync(join(tmpdir(), "openclaw-"));

function engine(pluginConfig) {
  const engines = {};
  const warnings = [];
  const registerContextEngine = (id, factory) => (engines[id] = factory);
  register({ pluginConfig, logger: { warn: (text) => warnings.push(text) }, registerContextEngine });
  return { ...engines.deadhead({ agentDir: mkdtempSync(join(tmpdir(), "agent-")) }), warnings };
}

function conversation(turns) {
  const messages = [{ role: "user", content: "go", timestamp: 1 }];
  for (let i = 0; i < turns; i += 1) {
    const call = { type: "toolCall", id: `t${i}`, name: "exec", arguments: {} };
    messages.push({ role: "assistant", content: [call], provider: "anthropic", model: "claude-sonnet-4-5", timestamp: 2 + i });
    const text = `${i} ${"x".repeat(9_000)}`;
    messages.push({ role: "toolResult", toolCallId: `t${i}`, toolName: "exec", content: [{ type: "text", text }], isError: false, timestamp: 2 + i });
  }
  return [...messages, { role: "user", content: "and now?", timestamp: 99 }];
}

const who = { sessionId: "s", sessionKey: "agent:main:s", model: "claude-sonnet-4-5" };
const cleared = (messages) => messages.filter((message) => JSON.stringify(message).includes("[Old tool result content cleared]")).length;

test("OpenClaw loads the plugin and gives it the slot", () => {
  const openclaw = (...args) =>
    execFileSync(process.execPath, [join(modules, "openclaw/openclaw.mjs"), "plugins", ...args], { env: { ...process.env, HOME: home }, encoding: "utf8" });
  openclaw("install", "--link", join(modules, "deadhead-openclaw"), "--force", "--accept-capabilities");
  const { plugin } = JSON.parse(openclaw("inspect", "deadhead", "--runtime", "--json"));
  assert.equal(plugin.status, "loaded");
  assert.deepEqual(plugin.contextEngineIds, ["deadhead"]);
  assert.equal(plugin.activationReason, "selected context engine slot");
});

test("a request is pruned, and its cuts stay", async () => {
  const { assemble, warnings } = engine({ args: ["--preset", "clawdbot-aggressive"] });
  const messages = conversation(12);
  const copy = structuredClone(messages);
  const first = await assemble({ ...who, messages });
  assert.equal(cleared(first.messages), 9);
  assert.ok(first.estimatedTokens < 9_000);
  assert.deepEqual(messages, copy);
  const kept = first.messages.filter((message, i) => message === messages[i]);
  assert.equal(kept.length, messages.length - 9, "what is not cut is the same object");
  const longer = [...messages, ...conversation(2).slice(1, 3).map((message) => ({ ...message, toolCallId: message.toolCallId && "u0", content: message.role === "assistant" ? [{ ...message.content[0], id: "u0" }] : message.content }))];
  const second = await assemble({ ...who, messages: longer });
  assert.equal(JSON.stringify(second.messages.slice(0, 19)), JSON.stringify(first.messages.slice(0, 19)));
  assert.deepEqual(warnings, []);
});

test("a request that cannot be pruned is sent unchanged", async () => {
  const messages = conversation(12);
  for (const config of [{ program: "/nonexistent" }, { args: ["--no-such-flag"] }, { program: "/bin/sleep", args: [] }, { timeout: 1 }]) {
    const { assemble, warnings } = engine(config);
    assert.equal((await assemble({ ...who, messages })).messages, messages);
    assert.match(warnings.join(), /is sent unpruned/);
  }
  const { assemble } = engine({});
  assert.deepEqual((await assemble({ ...who, messages: [] })).messages, []);
});

// A model on this machine: it reads a file eight times, then ends the turn.
function model(file, bodies) {
  return createServer((request, response) => {
    let text = "";
    request.on("data", (data) => (text += data));
    request.on("end", () => {
      bodies.push(text);
      const n = bodies.length;
      const call = { index: 0, id: `call_${n}`, type: "function", function: { name: "read", arguments: JSON.stringify({ path: file }) } };
      const delta = n <= 8 ? { role: "assistant", tool_calls: [call] } : { role: "assistant", content: "done" };
      const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
      const chunk = (delta, finish_reason, more) =>
        response.write(`data: ${JSON.stringify({ id: `c${n}`, object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`);
      response.writeHead(200, { "content-type": "text/event-stream" });
      chunk(delta, null);
      chunk({}, n <= 8 ? "tool_calls" : "stop", { usage });
      response.end("data: [DONE]\n\n");
    });
  });
}

test("the second turn of an agent is sent without old results", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "openclaw-"));
  const file = join(home, "words.txt");
  writeFileSync(file, "word ".repeat(3_000));
  const bodies = [];
  const server = model(file, bodies);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close().closeAllConnections());
  const provider = { baseUrl: `http://127.0.0.1:${server.address().port}/v1`, apiKey: "x", api: "openai-completions", models: [{ id: "m", name: "m", contextWindow: 200_000, maxTokens: 4_096 }] };
  mkdirSync(join(home, ".openclaw"));
  const config = {
    agents: { defaults: { model: { primary: "local/m" }, workspace: join(home, "workspace") } },
    models: { mode: "merge", providers: { local: provider } },
    plugins: { load: { paths: [join(modules, "deadhead-openclaw")] }, entries: { deadhead: { enabled: true, config: { args: ["--mode", "aggressive"] } } }, slots: { contextEngine: "deadhead" } },
  };
  writeFileSync(join(home, ".openclaw/openclaw.json"), JSON.stringify(config));
  for (const message of ["read it", "again"]) {
    const args = [join(modules, "openclaw/openclaw.mjs"), "agent", "--local", "--session-id", "s", "--message", message];
    const { stderr } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, HOME: home }, timeout: 120_000 });
    assert.doesNotMatch(stderr, /degraded to "legacy"|is sent unpruned/);
  }
  assert.equal(bodies.length, 10);
  const count = (body) => body.split("[Old tool result content cleared]").length - 1;
  assert.deepEqual(bodies.map(count), [0, 0, 0, 0, 0, 0, 0, 0, 0, 6]);
  assert.ok(bodies[9].length < bodies[8].length * 0.6);
});

test("compaction is OpenClaw's", () => {
  const { info, compact } = engine({});
  assert.equal(info.ownsCompaction, false);
  assert.equal(typeof compact, "function");
});
