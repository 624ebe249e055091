#!/usr/bin/env node
// The careful node script that deadhead is measured against: parse each line, prune, stringify each line.
//
//     node prune.mjs [--bodies] [--context-window TOKENS] FILE > OUT        FILE may be - for stdin
//
// Rules: soft-trim and hard-clear with the built-in values of release 2026.1 and no clock, on the context of the session:
// what the last compaction kept and what follows. A session is taken as one line of descent, without branches.
//
// One pass, one parse per line: lines wait only until a compaction puts them out of the context, and the rest until the
// end. Input comes in Buffers of 1 MiB that are cut at newlines, output is written in strings of about as much.
// With --bodies each line is a request body of its own (Anthropic).

import fs from "node:fs";

const KEEP_ASSISTANTS = 3;
const SOFT_RATIO = 0.3;
const HARD_RATIO = 0.5;
const MIN_PRUNABLE = 50_000;
const MAX_CHARS = 4000;
const HEAD = 1500;
const TAIL = 1500;
const IMAGE = 8000;
const OTHER = 256;
const PLACEHOLDER = "[Old tool result content cleared]";
const CHUNK = 1 << 20;

// --- Input and output -------------------------------------------------------------------------------------------------

/** Calls `onLine(buffer, terminated)` for each line, without its newline. */
function eachLine(fd, onLine) {
  let pending = []; // pieces of a line that is longer than what was read
  for (;;) {
    const chunk = Buffer.allocUnsafeSlow(CHUNK);
    let n;
    try {
      n = fs.readSync(fd, chunk, 0, CHUNK, null);
    } catch (error) {
      if (error.code === "EAGAIN") continue;
      throw error;
    }
    if (n === 0) break;
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(10, from);
      if (at < 0 || at >= n) break;
      const piece = chunk.subarray(from, at);
      if (pending.length === 0) {
        onLine(piece, true);
      } else {
        pending.push(piece);
        onLine(Buffer.concat(pending), true);
        pending = [];
      }
      from = at + 1;
    }
    if (from < n) pending.push(chunk.subarray(from, n));
  }
  if (pending.length > 0) onLine(Buffer.concat(pending), false);
}

function writeAll(buffer) {
  for (let at = 0; at < buffer.length; ) {
    try {
      at += fs.writeSync(1, buffer, at);
    } catch (error) {
      if (error.code === "EPIPE") process.exit(0);
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

let strings = [];
let nChars = 0;

function put(string) {
  strings.push(string);
  nChars += string.length;
  if (nChars >= CHUNK) flush();
}

function flush() {
  if (strings.length > 0) writeAll(Buffer.from(strings.join(""), "utf8"));
  strings = [];
  nChars = 0;
}

/** A line read: its value, or its bytes if it is not JSON. */
function read(line, terminated) {
  const end = terminated ? "\n" : "";
  try {
    return { value: JSON.parse(line.toString("utf8")), end };
  } catch {
    return { value: undefined, raw: Buffer.from(line), end };
  }
}

function write(entry) {
  if (entry.value !== undefined) {
    put(JSON.stringify(entry.value) + entry.end);
  } else {
    flush();
    writeAll(entry.raw);
    put(entry.end);
  }
}

// --- The rules --------------------------------------------------------------------------------------------------------

/** The texts of a content and its images; a string is one text. */
function contentOf(content) {
  if (typeof content === "string") return { texts: [content], nImages: 0 };
  const texts = [];
  let nImages = 0;
  if (Array.isArray(content)) {
    for (const block of content) {
      if (block?.type === "text" && typeof block.text === "string") texts.push(block.text);
      else if (block?.type === "image") nImages += 1;
    }
  }
  return { texts, nImages };
}

function sum(texts) {
  let n = 0;
  for (const text of texts) n += text.length;
  return n;
}

function argumentsLength(value) {
  return JSON.stringify(value ?? {}).length;
}

function plainItem(role, content) {
  const { texts, nImages } = contentOf(content);
  return { role, size: sum(texts) + IMAGE * nImages };
}

/** `holder.content` is what a cut replaces. */
function resultItem(holder) {
  const { texts, nImages } = contentOf(holder.content);
  return { role: "toolResult", size: sum(texts) + IMAGE * nImages, holder, texts, nImages };
}

function assistantItem(content) {
  let size = 0;
  if (Array.isArray(content)) {
    for (const block of content) {
      if (block?.type === "text" && typeof block.text === "string") size += block.text.length;
      else if (block?.type === "thinking" && typeof block.thinking === "string") size += block.thinking.length;
      else if (block?.type === "toolCall") size += argumentsLength(block.arguments);
      else if (block?.type === "tool_use") size += argumentsLength(block.input);
    }
  }
  return { role: "assistant", size };
}

/** The first units of a text, fewer by one rather than half a pair. */
function head(text, n) {
  return text.slice(0, (text.charCodeAt(n - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(n) & 0xfc00) === 0xdc00 ? n - 1 : n);
}

function tail(text, n) {
  const at = text.length - n;
  const splits = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return text.slice(splits ? at + 1 : at);
}

/** The trimmed text of a result, or undefined if it is short enough. */
function trimmed(texts) {
  if (sum(texts) + texts.length - 1 <= MAX_CHARS) return undefined;
  const text = texts.length === 1 ? texts[0] : texts.join("\n");
  const note = `[Tool result trimmed: kept first ${HEAD} chars and last ${TAIL} chars of ${text.length} chars.]`;
  return `${head(text, HEAD)}\n...\n${tail(text, TAIL)}\n\n${note}`;
}

function replace(item, text) {
  item.holder.content = typeof item.holder.content === "string" ? text : [{ type: "text", text }];
  item.size = text.length;
}

/** Prunes the items of one context in place. */
function prune(items, windowTokens) {
  const window = windowTokens * 4;
  let cutoff = items.length;
  for (let kept = 0; kept < KEEP_ASSISTANTS; ) {
    cutoff -= 1;
    if (cutoff < 0) return;
    if (items[cutoff].role === "assistant") kept += 1;
  }
  const start = items.findIndex((item) => item.role === "user");
  if (start < 0) return;
  let total = 0;
  for (const item of items) total += item.size;
  if (total / window < SOFT_RATIO) return;

  const eligible = items.slice(start, Math.max(start, cutoff)).filter((item) => item.role === "toolResult" && item.nImages === 0);
  for (const item of eligible) {
    const text = trimmed(item.texts);
    if (text === undefined) continue;
    total -= item.size;
    replace(item, text);
    total += item.size;
  }
  if (total / window < HARD_RATIO) return;
  if (eligible.reduce((n, item) => n + item.size, 0) < MIN_PRUNABLE) return;
  for (const item of eligible) {
    if (total / window < HARD_RATIO) break;
    if (item.size <= PLACEHOLDER.length) continue;
    total -= item.size;
    replace(item, PLACEHOLDER);
    total += item.size;
  }
}

// --- Sessions ---------------------------------------------------------------------------------------------------------

function sessionItem(entry) {
  if (entry?.type === "custom_message" || (entry?.type === "branch_summary" && entry.summary)) return { role: "other", size: OTHER };
  if (entry?.type !== "message") return undefined;
  const message = entry.message;
  if (message?.role === "user") return plainItem("user", message.content);
  if (message?.role === "assistant") return assistantItem(message.content);
  if (message?.role === "toolResult") return resultItem(message);
  return { role: "other", size: OTHER };
}

function pruneSession(fd, windowTokens) {
  let pending = []; // entries that may still be part of the context
  let places = new Map(); // id → number of the entry
  let nFlushed = 0; // entries written
  let summary = false; // whether a compaction came before

  const release = (upTo) => {
    const n = Math.max(0, upTo - nFlushed);
    for (let i = 0; i < n; i++) {
      write(pending[i]);
      if (pending[i].value?.id !== undefined) places.delete(pending[i].value.id);
    }
    pending = pending.slice(n);
    nFlushed += n;
  };

  eachLine(fd, (line, terminated) => {
    const entry = read(line, terminated);
    const place = nFlushed + pending.length;
    pending.push(entry);
    const value = entry.value;
    if (value?.id !== undefined && value.type !== "session") places.set(value.id, place);
    if (value?.type !== "compaction") return;
    // Version 1 names the entry by its number, the header being 0.
    const first = value.firstKeptEntryId !== undefined ? places.get(value.firstKeptEntryId) : value.firstKeptEntryIndex;
    release(first ?? place);
    summary = true;
  });

  const items = summary ? [{ role: "other", size: OTHER }] : [];
  for (const { value } of pending) {
    const item = sessionItem(value);
    if (item !== undefined) items.push(item);
  }
  prune(items, windowTokens);
  release(nFlushed + pending.length);
  flush();
}

// --- Bodies -----------------------------------------------------------------------------------------------------------

function bodyItems(body) {
  const items = [];
  for (const message of Array.isArray(body?.messages) ? body.messages : []) {
    if (message?.role === "assistant") {
      items.push(typeof message.content === "string" ? plainItem("assistant", message.content) : assistantItem(message.content));
    } else if (typeof message?.content === "string" || !Array.isArray(message?.content)) {
      items.push(plainItem("user", message?.content));
    } else {
      // Each result counts as a message; text between results is what the user said.
      let said = [];
      for (const block of message.content) {
        if (block?.type !== "tool_result") {
          said.push(block);
          continue;
        }
        if (said.length > 0) items.push(plainItem("user", said));
        said = [];
        items.push(resultItem(block));
      }
      if (said.length > 0) items.push(plainItem("user", said));
    }
  }
  return items;
}

function pruneBodies(fd, windowTokens) {
  eachLine(fd, (line, terminated) => {
    const entry = read(line, terminated);
    if (entry.value !== undefined) prune(bodyItems(entry.value), windowTokens);
    write(entry);
  });
  flush();
}

// --- Command line -----------------------------------------------------------------------------------------------------

let bodies = false;
let windowTokens = 200_000;
let file = "-";
for (let args = process.argv.slice(2); args.length > 0; ) {
  const arg = args.shift();
  if (arg === "--bodies") bodies = true;
  else if (arg === "--context-window") windowTokens = Number(args.shift());
  else file = arg;
}
const fd = file === "-" ? 0 : fs.openSync(file, "r");
(bodies ? pruneBodies : pruneSession)(fd, windowTokens);
