// A fetch that prunes what is sent, for every SDK that takes one: the AI SDK, Anthropic's, OpenAI's.
//
// One process of the program prunes them, or one for each name of a session or workload. Requests whose path names no transcript, packed and signed ones, and bodies that are no
// JSON in memory are not looked at; answers are not touched. It fails open: what cannot be pruned is sent as it came.
import { setMaxListeners } from "node:events";
import { binary } from "./binary.js";
import { Filter } from "./filter.js";
import { ROUTES } from "./routes.js";

// What a request with a transcript has one of. A line without is not for the filter: it might take it for the beginning of a log.
const MEMBERS = ["messages", "input", "contents", "requests", "request", "chat_history"];
const SEALS = ["content-md5", "content-digest", "digest", "signature", "x-amz-content-sha256"];

// Processes at one time, unless more are at work.
const MOST = 16;

export function createFetch(options = {}) {
  const { fetch = globalThis.fetch, args = [], program, strict = false, timeout = 10_000, onError = warn, session, workload } = options;
  const counts = { pruned: 0, unchanged: 0, skipped: 0, failed: 0 };
  // By the flags of their names, the one used last at the end.
  const filters = new Map();
  let is_closed = false;

  function filter_for(names) {
    const flags = Object.entries(names).flatMap(([flag, name]) => (name ? [`--${flag}=${name}`] : []));
    const key = JSON.stringify(flags);
    const filter = filters.get(key) ?? new Filter(program ?? binary(), [...args, ...flags], timeout);
    filters.delete(key);
    for (const [other, one] of filters) {
      if (filters.size < MOST) break;
      if (one.isIdle && filters.delete(other)) one.close();
    }
    filters.set(key, filter);
    return filter;
  }

  async function pruned(bytes, signal, { model, provider }, ...request) {
    try {
      if (is_closed) throw new Error("closed");
      const filter = filter_for({ model, provider, session: session?.(...request), workload: workload?.(...request) });
      const line = in_one_line(bytes);
      const answer = await unless_aborted(filter.line(line), signal);
      const is_same = answer.equals(line);
      counts[is_same ? "unchanged" : "pruned"] += 1;
      return is_same ? null : answer;
    } catch (error) {
      if (signal?.aborted) {
        counts.skipped += 1;
        return null;
      }
      counts.failed += 1;
      if (strict) throw error;
      onError(error);
      return null;
    }
  }

  async function pruningFetch(input, init) {
    const request = input instanceof Request ? input : null;
    const method = (init?.method ?? request?.method ?? "GET").toUpperCase();
    const { pathname } = new URL(request ? request.url : input, "http://localhost");
    const route = method === "POST" ? route_of(pathname) : null;
    if (!route) return fetch(input, init);
    const headers = new Headers(init?.headers ?? request?.headers);
    const signal = init?.signal ?? request?.signal;
    const body = is_sealed(headers) || signal?.aborted ? null : (init?.body ?? (await body_of(request)));
    const bytes = bytes_of(body);
    if (!bytes || !is_transcript(bytes)) {
      counts.skipped += 1;
      return fetch(input, init);
    }
    const answer = await pruned(bytes, signal, route, input, init);
    if (answer === null) return fetch(input, init);
    headers.delete("content-length");
    return fetch(input, { ...init, method, headers, body: typeof body === "string" ? answer.toString() : answer });
  }

  function close() {
    is_closed = true;
    for (const filter of filters.values()) filter.close();
  }

  return Object.assign(pruningFetch, { counts, close });
}

// The model and the provider that a path names, where it is one with a transcript: its end is that of a route, segment by segment.
function route_of(pathname) {
  const path = pathname.replace(/\/+$/, "").split("/");
  for (const [route, provider] of ROUTES) {
    const end = route.split("/").slice(1);
    // The first segment follows a slash.
    if (path.length <= end.length) continue;
    let model;
    const fits = end.every((wanted, i) => {
      const found = path[path.length - end.length + i];
      if (!wanted.startsWith("{model}")) return found === wanted;
      const rest = wanted.slice("{model}".length);
      model = found.endsWith(rest) ? plain(found.slice(0, found.length - rest.length)) : "";
      return model !== "";
    });
    if (fits) return { model, provider };
  }
  return null;
}

// A model's id without the escapes that a path needs.
function plain(id) {
  return id.replace(/%3a/gi, ":").replace(/%2f/gi, "/");
}

function is_sealed(headers) {
  const packed = (headers.get("content-encoding") ?? "").trim().toLowerCase();
  return (packed !== "" && packed !== "identity") || (headers.get("authorization") ?? "").startsWith("AWS4-") || SEALS.some((name) => headers.has(name));
}

// The body of a request that was made before; the request itself can still be sent.
async function body_of(request) {
  if (!request?.body || request.bodyUsed) return null;
  return Buffer.from(await request.clone().arrayBuffer());
}

// The bytes of a body that is in memory.
function bytes_of(body) {
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof ArrayBuffer) return Buffer.from(body);
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return null;
}

// The filter answers a whole value in a line at once; what is none might be the beginning of one for it.
function is_transcript(bytes) {
  try {
    const value = JSON.parse(bytes.toString());
    return typeof value === "object" && value !== null && MEMBERS.some((name) => typeof value[name] === "object" || typeof value[name] === "string");
  } catch {
    return false;
  }
}

// A line break in JSON is white space: in a string it is escaped.
function in_one_line(bytes) {
  if (!bytes.includes(0x0a) && !bytes.includes(0x0d)) return bytes;
  const line = Buffer.from(bytes);
  for (let at = 0; at < line.length; at += 1) if (line[at] === 0x0a || line[at] === 0x0d) line[at] = 0x20;
  return line;
}

// An answer, or a rejection as soon as the request is aborted. The filter's answer is then nobody's.
async function unless_aborted(answer, signal) {
  if (!signal) return answer;
  let aborted;
  const abortion = new Promise((_, reject) => (aborted = () => reject(signal.reason)));
  // Many requests may share a signal, which is no leak. It may also be of a kind of its own.
  if (signal instanceof EventTarget) setMaxListeners(0, signal);
  signal.addEventListener("abort", aborted, { once: true });
  try {
    return await Promise.race([answer, abortion]);
  } finally {
    signal.removeEventListener("abort", aborted);
    answer.catch(() => {});
  }
}

function warn(error) {
  process.emitWarning(`a request is sent unpruned: ${error.message}`, "DeadheadWarning");
}
