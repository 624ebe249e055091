// What the tests share: a provider on this machine, bodies, and the command.
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import assert from "node:assert/strict";
import { createFetch } from "deadhead/fetch";

export const shim = join(process.cwd(), "node_modules", ".bin", "deadhead");
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

export function longBody(turns = 8, size = 100_000) {
  const messages = [{ role: "user", content: "go" }];
  for (let i = 0; i < turns; i += 1) {
    messages.push({ role: "assistant", content: [{ type: "tool_use", id: `c${i}`, name: "run", input: {} }] });
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `c${i}`, content: "x".repeat(size) }] });
    messages.push({ role: "assistant", content: "so" }, { role: "user", content: "on" });
  }
  return { model: "claude-sonnet-4-5", max_tokens: 1, messages };
}

// What the command makes of a body.
export function command(body, ...args) {
  const done = spawnSync(shim, ["prune", "-q", ...args], { input: body, maxBuffer: 1 << 28 });
  assert.equal(done.status, 0, done.stderr.toString());
  return done.stdout;
}

export async function provider(t) {
  const [seen, left] = [[], { count: 0 }];
  const server = createServer(async (request, response) => {
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = Buffer.concat(pieces);
    seen.push({ url: request.url, headers: request.headers, body });
    if (request.url.endsWith("/chat/completions")) return response.setHeader("content-type", "application/json").end(JSON.stringify(CHAT));
    let [streams, hangs] = [false, false];
    try {
      ({ stream: streams, hang: hangs } = JSON.parse(body.toString()));
    } catch {}
    if (hangs) return;
    if (streams !== true) return response.setHeader("content-type", "application/json").end(JSON.stringify(MESSAGE));
    response.setHeader("content-type", "text/event-stream");
    for (const event of SSE) response.write(event);
    response.end();
  });
  // How many requests ended before they were answered.
  server.on("request", (_, response) => response.on("close", () => (left.count += response.writableEnded ? 0 : 1)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, seen, left };
}

export function pruning(t, options) {
  const made = createFetch(options);
  t.after(() => made.close());
  return made;
}

