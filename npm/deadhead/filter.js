// One process of the program, as a filter: it reads a body in a line and answers with a line, in the same order.
import { spawn } from "node:child_process";
import { once } from "node:events";

const NEWLINE = 0x0a;
// A process that ends at once is not started again for each request.
const REST_MS = 1000;

export class Filter {
  #program;
  #args;
  #timeout;
  #process = null;
  #waiting = [];
  // Lines that were given and have no answer yet.
  #open = 0;
  #turn = Promise.resolve();
  #pieces = [];
  #restUntil = 0;
  #isClosed = false;

  constructor(program, args, timeout) {
    this.#program = program;
    this.#args = ["prune", "--quiet", ...args];
    this.#timeout = timeout;
  }

  // The answer to a line, which has no line break in it. Rejects if there is none: the process is then replaced.
  async line(bytes) {
    this.#open += 1;
    try {
      const { answer } = await this.#sent(bytes);
      return await answer;
    } finally {
      this.#open -= 1;
    }
  }

  // Writes a line once the one before it is in the pipe: while the pipe is full, nothing is piled up before it.
  async #sent(bytes) {
    const before = this.#turn;
    let next;
    this.#turn = new Promise((resolve) => (next = resolve));
    await before;
    try {
      const { child, ended } = this.#started();
      this.#hold(child, true);
      const answer = new Promise((resolve, reject) => {
        const fail = () => this.#end(child, new Error(`no answer within ${this.#timeout} ms`));
        this.#waiting.push({ resolve, reject, timer: setTimeout(fail, this.#timeout) });
      });
      answer.catch(() => {});
      child.stdin.cork();
      child.stdin.write(bytes);
      const can_write = child.stdin.write("\n");
      child.stdin.uncork();
      // Not the end of its pipes: what it has started may keep them open.
      if (!can_write) await once(child.stdin, "drain", { signal: ended.signal }).catch(() => {});
      return { answer };
    } finally {
      next();
    }
  }

  get isIdle() {
    return this.#open === 0;
  }

  close() {
    this.#isClosed = true;
    if (this.#process) this.#end(this.#process.child, new Error("closed"));
  }

  #started() {
    if (this.#isClosed) throw new Error("closed");
    if (this.#process) return this.#process;
    if (performance.now() < this.#restUntil) throw new Error("the filter process ended; it is started again in a moment");
    const child = spawn(this.#program, this.#args, { stdio: ["pipe", "pipe", "pipe"] });
    this.#process = { child, ended: new AbortController(), said: "" };
    child.on("error", (error) => this.#end(child, error));
    // Its streams have ended as well, so that what it said of its end is there. What it has started may keep them open.
    child.on("close", (code, signal) => this.#end(child, this.#why(code, signal)));
    child.on("exit", (code, signal) => setTimeout(() => this.#end(child, this.#why(code, signal)), 100).unref());
    child.stdin.on("error", () => {});
    child.stdout.on("data", (piece) => this.#read(child, piece));
    child.stderr.on("data", (piece) => this.#heard(child, piece));
    return this.#process;
  }

  // Keeps the end of what the process says: the reason, where it ends.
  #heard(child, piece) {
    if (child === this.#process?.child) this.#process.said = (this.#process.said + piece).slice(-1000);
  }

  #why(code, signal) {
    const lines = this.#process?.said.trim().split("\n");
    const said = lines?.findLast((line) => !line.startsWith("hint: "));
    return new Error(`the filter process ended (${signal ?? code})${said ? `: ${said}` : ""}`);
  }

  #read(child, piece) {
    if (child !== this.#process?.child) return;
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...this.#pieces, piece.subarray(from, end)]);
      this.#pieces = [];
      from = end + 1;
      const first = this.#waiting.shift();
      if (!first) return this.#end(child, new Error("an answer that nobody asked for"));
      clearTimeout(first.timer);
      first.resolve(line);
    }
    if (from < piece.length) this.#pieces.push(piece.subarray(from));
    if (this.#waiting.length === 0) this.#hold(child, false);
  }

  // Requests that wait fail; the next line gets a new process.
  #end(child, error) {
    if (child !== this.#process?.child) return;
    this.#process.ended.abort();
    this.#process = null;
    this.#pieces = [];
    this.#restUntil = performance.now() + REST_MS;
    child.kill("SIGKILL");
    this.#hold(child, false);
    for (const { reject, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      reject(error);
    }
  }

  // An idle process does not keep Node running.
  #hold(child, is_referenced) {
    for (const one of [child, child.stdin, child.stdout, child.stderr]) is_referenced ? one?.ref?.() : one?.unref?.();
  }
}
