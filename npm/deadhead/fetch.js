// A fetch that prunes what goes out, for every SDK that takes one: the AI SDK, Anthropic's, OpenAI's.
//
// One process of the program stands behind it. Requests whose path names no transcript, packed and signed ones, and bodies that are no
// JSON in memory are not looked at; answers are not touched. It fails open: what cannot be pruned goes out as it came.
import { binary } from "./binary.js";
import { Filter } from "./filter.js";

const PATHS =
  /(\/messages(\/count_tokens)?|\/chat\/completions|\/responses|\/api\/chat|\/converse(-stream)?|:(generateContent|streamGenerateContent|countTokens))$/;
const SEALS = ["content-md5", "content-digest", "digest", "signature", "x-amz-content-sha256"];

export function createFetch(options = {}) {
  const { fetch = globalThis.fetch, args = [], program, strict = false, timeout = 10_000, onError = warn } = options;
  const counts = { pruned: 0, unchanged: 0, skipped: 0, failed: 0 };
  let filter;

  async function pruned(bytes) {
    try {
      filter ??= new Filter(program ?? binary(), args, timeout);
      // A line break in JSON is white space: in a string it is escaped.
      const line = bytes.includes(0x0a) || bytes.includes(0x0d) ? bytes.map((byte) => (byte === 0x0a || byte === 0x0d ? 0x20 : byte)) : bytes;
      const answer = await filter.line(line);
      const is_same = answer.equals(line);
      counts[is_same ? "unchanged" : "pruned"] += 1;
      return is_same ? null : answer;
    } catch (error) {
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
    if (method !== "POST" || !PATHS.test(pathname)) return fetch(input, init);
    const headers = new Headers(init?.headers ?? request?.headers);
    const body = init?.body ?? (request && !request.bodyUsed && request.body ? Buffer.from(await request.clone().arrayBuffer()) : null);
    const bytes = is_sealed(headers) ? null : bytes_of(body);
    if (!bytes || !is_object(bytes)) {
      counts.skipped += 1;
      return fetch(input, init);
    }
    const answer = await pruned(bytes);
    if (answer === null) return fetch(input, init);
    headers.delete("content-length");
    return fetch(input, { ...init, method, headers, body: typeof body === "string" ? answer.toString() : answer });
  }

  return Object.assign(pruningFetch, { counts, close: () => filter?.close() });
}

function is_sealed(headers) {
  const packed = headers.get("content-encoding") ?? "identity";
  return packed !== "identity" || (headers.get("authorization") ?? "").startsWith("AWS4-") || SEALS.some((name) => headers.has(name));
}

// The bytes of a body that is in memory.
function bytes_of(body) {
  if (typeof body === "string") return Buffer.from(body);
  if (body instanceof ArrayBuffer) return Buffer.from(body);
  if (ArrayBuffer.isView(body)) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return null;
}

// The filter answers a whole value in a line at once; what is none might be the beginning of one for it.
function is_object(bytes) {
  try {
    const value = JSON.parse(bytes.toString());
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function warn(error) {
  process.emitWarning(`a request goes out unpruned: ${error.message}`, "DeadheadWarning");
}
