// The installed package: the command, and a fetch before a provider on this machine. packaging/test installs it and runs this beside it.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import assert from "node:assert/strict";
import test from "node:test";
import { createFetch } from "deadhead/fetch";
import { command, longBody, provider, pruning, shim } from "./support.js";

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

test("a body that is not cut, or is no transcript, is sent unchanged", async (t) => {
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

test("every route that has a transcript is pruned, by the model in its path", async (t) => {
  const { url, seen } = await provider(t);
  const fetch = pruning(t, { args: ["--mode", "aggressive"] });
  const answer = (text) => ({ role: "model", parts: [{ text }] });
  const contents = [{ role: "user", parts: [{ text: "go" }] }];
  for (let i = 0; i < 8; i += 1) {
    const [call, result] = [{ functionCall: { name: "run", args: {} } }, { functionResponse: { name: "run", response: { output: "x".repeat(20_000) } } }];
    contents.push({ role: "model", parts: [call] }, { role: "user", parts: [result] }, answer("so"), { role: "user", parts: [{ text: "on" }] });
  }
  const { model, ...vertex } = { ...longBody(), anthropic_version: "vertex-2023-10-16" };
  const gemini = "/v1beta/models/gemini-2.5-pro";
  for (const [path, body] of [
    ["/v1/messages/", { model, ...vertex }],
    [`${gemini}:generateContent`, { contents }],
    [`${gemini}:streamGenerateContent?alt=sse`, { contents }],
    ["/v1internal:generateContent", { model: "gemini-2.5-pro", request: { contents } }],
    [`/v1/projects/p/locations/l/publishers/anthropic/models/${model}@20250929:rawPredict`, vertex],
    [`/model/us.anthropic.${model}-v1%3A0/invoke`, vertex],
  ]) {
    const spelled = JSON.stringify(body);
    await fetch(url + path, { method: "POST", body: spelled });
    assert.ok(seen.at(-1).body.length < spelled.length / 2, path);
  }
  for (const path of ["/v1/embeddings", "/messages2", "/:generateContent"]) {
    await fetch(url + path, { method: "POST", body: JSON.stringify({ contents }) });
  }
  assert.deepEqual(fetch.counts, { pruned: 6, unchanged: 0, skipped: 0, failed: 0 });
});

test("a request names its session and its workload", async (t) => {
  const { url, seen } = await provider(t);
  const folder = mkdtempSync(join(tmpdir(), "deadhead-"));
  const [state, config] = [join(folder, "state.db"), join(folder, "config.json5")];
  writeFileSync(config, "{contextPruning: {mode: 'off'}, workloads: {chat: {contextPruning: {mode: 'adaptive'}}}}");
  const named = (header) => (_, init) => init.headers[header];
  const fetch = pruning(t, { args: ["--config", config, "--state", state], session: named("x-session"), workload: named("x-workload") });
  const body = JSON.stringify(longBody());
  const length = async (headers) => {
    await fetch(`${url}/v1/messages`, { method: "POST", body, headers });
    return seen.at(-1).body.length;
  };
  assert.ok((await length({ "x-session": "a", "x-workload": "chat" })) < body.length);
  assert.equal(await length({ "x-session": "b" }), body.length);
  // More names than processes.
  await Promise.all(Array.from({ length: 40 }, (_, i) => length({ "x-session": `many ${i}` })));
  const shown = spawnSync(shim, ["state", "show", "--json", "--state", state]);
  const names = JSON.parse(shown.stdout).sessions.map(({ name }) => name);
  assert.equal(names.length, 42);
  assert.ok(names.includes("a") && names.includes("b") && names.includes("many 39"));
  assert.equal(fetch.counts.failed, 0);
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

test("bodies of other kinds are sent as they are", async (t) => {
  const { url, seen } = await provider(t);
  const fetch = pruning(t);
  const text = JSON.stringify(longBody());
  const stream = () => new Blob([text]).stream();
  const form = new FormData();
  form.set("a", "b");
  for (const body of [stream(), new Blob([text]), form, new URLSearchParams("a=b")]) {
    await fetch(`${url}/v1/messages`, { method: "POST", body, duplex: "half" });
    assert.ok([text.length, 3].includes(seen.at(-1).body.length) || seen.at(-1).headers["content-type"].startsWith("multipart"));
  }
  assert.equal(seen[0].body.toString(), text);
  // A stream in a request is read there, and pruned.
  await fetch(new Request(`${url}/v1/messages`, { method: "post", body: stream(), duplex: "half" }));
  assert.equal(seen.at(-1).body.toString(), command(text + "\n").toString().trimEnd());
  for (const method of ["GET", "HEAD", "DELETE"]) await fetch(`${url}/v1/messages`, { method });
  assert.deepEqual(fetch.counts, { pruned: 1, unchanged: 0, skipped: 4, failed: 0 });
});

test("bytes that are no text, and a batch, are pruned as the command prunes them", async (t) => {
  const { url, seen } = await provider(t);
  const fetch = pruning(t);
  const broken = Buffer.concat([Buffer.from('{"system":"'), Buffer.from([0xff, 0xfe]), Buffer.from('",'), Buffer.from(JSON.stringify(longBody())).subarray(1)]);
  const batch = Buffer.from(JSON.stringify({ requests: [{ custom_id: "a", params: longBody() }, { custom_id: "b", params: longBody(1, 9) }] }));
  for (const [path, body] of [["/v1/messages", broken], ["/v1/messages/batches", batch]]) {
    await fetch(url + path, { method: "POST", body });
    const want = command(Buffer.concat([body, Buffer.from("\n")]));
    assert.ok(want.length < body.length, path);
    assert.ok(seen.at(-1).body.equals(want.subarray(0, -1)), path);
  }
});

test("a body that looks like a log is not given to the filter", async (t) => {
  const { url, seen } = await provider(t);
  const fetch = pruning(t, { timeout: 2000 });
  for (const value of [{ type: "session", version: 3, timestamp: "t" }, { type: "user", message: { role: "user", content: "x" } }, { role: "user", content: "x" }, [1]]) {
    await fetch(`${url}/v1/messages`, { method: "POST", body: JSON.stringify(value) });
  }
  await fetch(`${url}/v1/messages`, { method: "POST", body: JSON.stringify(longBody()) });
  assert.deepEqual(fetch.counts, { pruned: 1, unchanged: 0, skipped: 4, failed: 0 });
  assert.equal(seen.length, 5);
});

test("an aborted request is rejected at once, and the others go on", async (t) => {
  const { url, seen } = await provider(t);
  const folder = mkdtempSync(join(tmpdir(), "deadhead-"));
  // Answers a second after it was asked.
  const slow = join(folder, "slow");
  writeFileSync(slow, `#!/bin/bash\nwhile read -r line; do sleep 1; printf '%s\\n' "$line"; done\n`, { mode: 0o755 });
  const fetch = pruning(t, { program: slow });
  const body = JSON.stringify(longBody(1, 9));
  const controller = new AbortController();
  const warned = [];
  process.on("warning", (warning) => warned.push(warning.name));
  const aborted = Array.from({ length: 12 }, () => fetch(`${url}/v1/messages`, { method: "POST", body, signal: controller.signal }));
  const other = fetch(new Request(`${url}/v1/messages`, { method: "POST", body }));
  setTimeout(() => controller.abort(new Error("enough")), 50);
  const begun = performance.now();
  for (const one of await Promise.allSettled(aborted)) assert.equal(one.reason?.message, "enough");
  assert.ok(performance.now() - begun < 900);
  await assert.rejects(fetch(`${url}/v1/messages`, { method: "POST", body, signal: AbortSignal.abort(new Error("before")) }), /before/);
  fetch.close();
  await other;
  assert.equal(seen.length, 1);
  assert.deepEqual(fetch.counts, { pruned: 0, unchanged: 0, skipped: 13, failed: 1 });
  assert.deepEqual(warned.filter((name) => name.startsWith("MaxListeners")), []);
});

test("an answer that breaks off, and a client that leaves, are the provider's affair", async (t) => {
  const { url, seen, left } = await provider(t);
  const fetch = pruning(t);
  const body = JSON.stringify(longBody());
  const controller = new AbortController();
  const pending = fetch(`${url}/v1/messages`, { method: "POST", body: JSON.stringify({ ...longBody(), hang: true }), signal: controller.signal });
  while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  controller.abort();
  await assert.rejects(pending, { name: "AbortError" });
  while (left.count === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const server = createServer((socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"))).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const answer = await fetch(`http://127.0.0.1:${server.address().port}/v1/messages`, { method: "POST", body });
  await assert.rejects(answer.text());
  await assert.rejects(fetch("http://127.0.0.1:1/v1/messages", { method: "POST", body }), TypeError);
  assert.deepEqual(fetch.counts, { pruned: 3, unchanged: 0, skipped: 0, failed: 0 });
});

test("a full pipe of a process that stalls or dies holds nobody", async (t) => {
  const { url, seen } = await provider(t);
  const folder = mkdtempSync(join(tmpdir(), "deadhead-"));
  const body = JSON.stringify(longBody());
  for (const [name, script] of [
    // Ends in the middle of a body, and leaves a child that keeps its pipes open.
    ["orphan", "sleep 30 & head -c 100000 >/dev/null; exit 3"],
    ["stalled", "exec sleep 30"],
    ["chatty", "while read -r line; do echo '{}'; echo '{}'; done"],
  ]) {
    const program = join(folder, name);
    writeFileSync(program, `#!/bin/bash\n${script}\n`, { mode: 0o755 });
    const errors = [];
    const fetch = pruning(t, { program, timeout: 1500, onError: (error) => errors.push(error.message) });
    const before = seen.length;
    const begun = performance.now();
    await Promise.all(Array.from({ length: 8 }, () => fetch(`${url}/v1/messages`, { method: "POST", body })));
    assert.ok(performance.now() - begun < 5000, name);
    assert.equal(seen.length - before, 8);
    if (name !== "chatty") assert.ok(errors.length === 8 && seen.slice(before).every((one) => one.body.toString() === body), name);
  }
});

test("an error names what the program said", async (t) => {
  const { url } = await provider(t);
  const body = JSON.stringify(longBody());
  await assert.rejects(pruning(t, { args: ["--preset", "nonsense"], strict: true })(`${url}/v1/messages`, { method: "POST", body }), /ended \(2\): .*nonsense/);
  const closed = pruning(t, { strict: true });
  closed.close();
  await assert.rejects(closed(`${url}/v1/messages`, { method: "POST", body }), /closed/);
});

test("the example of the page runs", async (t) => {
  const { url, seen } = await provider(t);
  const page = readFileSync(process.env.DEADHEAD_DOCS, "utf8");
  const example = page.split("```js\n")[1].split("```")[0].replace(/^import .*anthropic.*$/im, "class Anthropic { constructor({ fetch }) { this.fetch = fetch; } }");
  const script = `${example}\nawait client.fetch(${JSON.stringify(url)} + "/v1/messages", { method: "POST", body: JSON.stringify((${longBody})()) }); console.log(fetch.counts.pruned);`;
  const options = { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, HOME: mkdtempSync(join(tmpdir(), "deadhead-")) } };
  const child = spawn(process.execPath, ["--input-type=module", "-e", script.replace("sessions.db", join(options.env.HOME, "sessions.db"))], options);
  let output = "";
  child.stdout.on("data", (piece) => (output += piece));
  await once(child, "exit");
  assert.equal(output, "1\n");
  assert.ok(seen[0].body.length < 700_000);
});

// The vectors that the tests of the proxy and of the Python hooks read too.
test("a conversation has the same cuts as by the command, where thinking is bound and where it is not", async (t) => {
  const { url, seen } = await provider(t);
  const fetch = pruning(t, { args: ["--preset", "break-even"] });
  const { models, turns } = JSON.parse(readFileSync(process.env.DEADHEAD_TURNS));
  for (const model of models) {
    for (const conversation of Object.values(turns)) {
      const body = JSON.stringify({ model, max_tokens: 9, messages: messagesOf(conversation) });
      await fetch(`${url}/v1/messages`, { method: "POST", body });
      assert.equal(seen.at(-1).body.toString(), command(`${body}\n`, "--preset", "break-even").toString().trimEnd());
    }
  }
  assert.ok(fetch.counts.pruned >= 3 && fetch.counts.unchanged >= 1, JSON.stringify(fetch.counts));
});

function messagesOf(turns) {
  const messages = [];
  let calls = 0;
  for (const [count, answer] of turns) {
    messages.push({ role: "user", content: "go" });
    for (let i = 0; i < count; i += 1, calls += 1) {
      const thinking = { type: "thinking", thinking: `why ${calls}`, signature: `s${calls}` };
      messages.push({ role: "assistant", content: [thinking, { type: "tool_use", id: `c${calls}`, name: "run", input: { n: calls } }] });
      messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `c${calls}`, content: "line of the output\n".repeat(6950) }] });
    }
    if (answer) messages.push({ role: "assistant", content: answer });
  }
  if (messages.at(-1).role === "assistant") messages.push({ role: "user", content: "on" });
  return messages;
}
