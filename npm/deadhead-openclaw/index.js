// A context engine of OpenClaw: `assemble()` prunes the messages of a request, and a state file keeps its cuts for the next ones.
//
// The transcript of OpenClaw is not changed. It fails open: a request that cannot be pruned is sent unchanged, with a warning.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { binary } from "deadhead/binary";
import { delegateCompactionToRuntime } from "openclaw/plugin-sdk/core";

const LARGEST = 1 << 30;
// Without these OpenClaw leaves the turn to its own engine.
const SEMANTICS = { currentTurnFence: "before-current-turn-entry-v1", turnAdvancementIdempotency: "atomic-idempotent-v1" };

export default function register(api) {
  const { args = ["--preset", "break-even"], state, program, timeout = 10_000 } = api.pluginConfig ?? {};

  api.registerContextEngine("deadhead", ({ agentDir } = {}) => {
    const place = state ?? (agentDir && join(agentDir, "deadhead.db"));
    return {
      info: { id: "deadhead", name: "deadhead", ownsCompaction: false, acceptedHostParams: ["sessionKey"], transcriptSemantics: SEMANTICS },
      ingest: async () => ({ ingested: false }),
      // A turn adds nothing to what is stored, so that it may come twice.
      commitTurn: async () => ({ status: "committed" }),
      async assemble({ messages, sessionId, sessionKey, model }) {
        const flags = ["prune", "--quiet", "--format", "openclaw", ...args];
        if (place) flags.push("--state", place, "--session", sessionKey ?? sessionId);
        if (model) flags.push("--model", model);
        try {
          const lines = await run(program ?? binary(), flags, transcript(messages), timeout);
          return assembled(pruned(messages, lines));
        } catch (error) {
          api.logger?.warn?.(`deadhead: a request is sent unpruned: ${error.message.trim()}`);
          return assembled(messages);
        }
      },
      compact: (params) => delegateCompactionToRuntime(params),
    };
  });
}

// The messages as a session of OpenClaw. The number of a message is its id.
function transcript(messages) {
  const lines = messages.map((message, i) => ({ type: "message", id: `${i}`, parentId: i ? `${i - 1}` : null, message }));
  return [{ type: "session", version: 3, id: "assembled" }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join("");
}

// The messages that are left: as they were, where nothing was cut.
function pruned(messages, output) {
  const lines = output.split("\n").filter(Boolean).map((line) => JSON.parse(line)).filter((line) => line.type === "message");
  return lines.map(({ id, message }) => (JSON.stringify(message) === JSON.stringify(messages[id]) ? messages[id] : message));
}

// Four characters a token, as OpenClaw counts.
function assembled(messages) {
  const characters = messages.reduce((sum, message) => sum + JSON.stringify(message.content ?? "").length, 0);
  return { messages, estimatedTokens: Math.ceil(characters / 4) };
}

function run(program, flags, input, timeout) {
  return new Promise((resolve, reject) => {
    const child = execFile(program, flags, { maxBuffer: LARGEST, timeout }, (error, stdout, stderr) => {
      if (error) reject(new Error(stderr.trim() || error.message));
      else resolve(stdout);
    });
    // A program that ends early says why itself.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}
