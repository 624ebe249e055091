// One process of the program, as a filter: a body in a line goes in, its answer comes out in a line, in the same order.
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
  #turn = Promise.resolve();
  #pieces = [];
  #restUntil = 0;

  constructor(program, args, timeout) {
    this.#program = program;
    this.#args = ["prune", "--quiet", ...args];
    this.#timeout = timeout;
  }

  // The answer to a line, which has no line break in it. Rejects where there is none: the process is then replaced.
  async line(bytes) {
    const { answer } = await this.#sent(bytes);
    return answer;
  }

  // Writes a line once the one before it is in the pipe: while the pipe is full, nothing is piled up before it.
  async #sent(bytes) {
    const before = this.#turn;
    const over = new AbortController();
    let next;
    this.#turn = new Promise((resolve) => (next = resolve));
    await before;
    try {
      const child = this.#started();
      this.#hold(child, true);
      const answer = new Promise((resolve, reject) => {
        const fail = () => this.#end(child, new Error(`no answer within ${this.#timeout} ms`));
        this.#waiting.push({ resolve, reject, timer: setTimeout(fail, this.#timeout) });
      });
      answer.catch(() => {});
      child.stdin.cork();
      child.stdin.write(bytes);
      const has_room = child.stdin.write("\n");
      child.stdin.uncork();
      const ended = { signal: over.signal };
      if (!has_room) await Promise.race([once(child.stdin, "drain", ended), once(child, "close", ended)]).catch(() => {});
      return { answer };
    } finally {
      over.abort();
      next();
    }
  }

  close() {
    if (this.#process) this.#end(this.#process, new Error("closed"));
    this.#restUntil = Infinity;
  }

  #started() {
    if (this.#process) return this.#process;
    if (performance.now() < this.#restUntil) throw new Error("the filter process ended; it is started again in a moment");
    const child = spawn(this.#program, this.#args, { stdio: ["pipe", "pipe", "ignore"] });
    this.#process = child;
    child.on("error", (error) => this.#end(child, error));
    child.on("exit", (code, signal) => this.#end(child, new Error(`the filter process ended (${signal ?? code})`)));
    child.stdin.on("error", (error) => this.#end(child, error));
    child.stdout.on("data", (piece) => this.#read(child, piece));
    return child;
  }

  #read(child, piece) {
    if (child !== this.#process) return;
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

  // Who waits fails; the next line gets a new process.
  #end(child, error) {
    if (child !== this.#process) return;
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

  // A process that nobody waits for does not keep Node running.
  #hold(child, is_held) {
    for (const one of [child, child.stdin, child.stdout]) is_held ? one?.ref?.() : one?.unref?.();
  }
}
