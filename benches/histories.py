#!/usr/bin/env python3
"""Makes one conversation as every agent logs it: histories of the same texts, some 128 MiB each, for benches/measure.py.

    python3 benches/histories.py [--size 128MiB] [--seed 7] [--out DIR] [--only codex,opencode]
    python3 benches/histories.py --sessions 165 --size 140MB --out DIR

With --sessions it makes many sessions of Claude Code in place of one history for each agent: each has ids, times and counts of tokens of
its own, pauses after which its cache has expired, and calls that read a file again. `deadhead replay` and `deadhead advise` read them.

What an agent writes beside the conversation (copies of results, heads of lines, events) is there as its real logs have it,
so that the share of bytes that a format has to look into is that format's own.
"""

import argparse
import datetime
import os
import random
import sys

import corpus

STAMP = b"2025-11-20T10:00:00.000Z"


def conversation(pools, seed):
    """User turns, steps of the agent and results, without end: (role, text, calls or call)."""
    rng = random.Random(f"histories {seed}")
    n_calls = 0
    while True:
        yield b"user", pools.prose.slice(rng, rng.randint(20, 700)), None
        for _ in range(rng.randint(2, 24)):
            calls = []
            for _ in range(rng.choices((1, 2, 3), (75, 18, 7))[0]):
                n_calls += 1
                calls.append((b"toolu_01%08x%s" % (n_calls, pools.blob(rng, 12).translate(bytes.maketrans(b"+/", b"xy"))), rng.choice(pools.commands)))
            yield b"assistant", pools.prose.slice(rng, rng.randint(20, 300)), calls
            for id_, _ in calls:
                yield b"result", pools.result(rng, corpus.result_chars(rng, 400_000)), id_
        yield b"assistant", pools.prose.slice(rng, rng.randint(200, 2400)), []


def openclaw(n, role, text, calls):
    head = b'{"type":"message","id":"%08x","parentId":%s,"timestamp":"%s","message":' % (n, b'"%08x"' % (n - 1) if n else b"null", STAMP)
    if role == b"result":
        return head + (b'{"role":"toolResult","toolCallId":"%s","toolName":"bash","content":[{"type":"text","text":"%s"}],"isError":false,'
                       b'"timestamp":1763681544000}}\n' % (calls, text))
    if role == b"user":
        return head + b'{"role":"user","content":[{"type":"text","text":"%s"}],"timestamp":1763681544000}}\n' % text
    blocks = [b'{"type":"text","text":"%s"}' % text]
    blocks += [b'{"type":"toolCall","id":"%s","name":"bash","arguments":{"command":"%s"}}' % call for call in calls]
    return head + (b'{"role":"assistant","content":[%s],"api":"anthropic-messages","provider":"anthropic","model":"claude-opus-4-5",'
                   b'"usage":{"input":3,"output":900,"cacheRead":9000,"cacheWrite":900,"totalTokens":10803},"stopReason":"toolUse",'
                   b'"timestamp":1763681544000}}\n' % b",".join(blocks))


def claude_code(n, role, text, calls):
    head = (b'{"parentUuid":%s,"isSidechain":false,"userType":"external","cwd":"/home/user/project","sessionId":"5b613073-e70b-48a1","version":"2.1.0",'
            b'"gitBranch":"main",' % (b'"%08x-e70b-48a1-b6ae"' % (n - 1) if n else b"null"))
    tail = b'"uuid":"%08x-e70b-48a1-b6ae","timestamp":"%s"' % (n, STAMP)
    if role == b"result":
        return head + (b'"type":"user","message":{"role":"user","content":[{"tool_use_id":"%s","type":"tool_result","content":"%s","is_error":false}]},%s,'
                       b'"toolUseResult":{"stdout":"%s","stderr":"","interrupted":false,"isImage":false}}\n' % (calls, text, tail, text))
    if role == b"user":
        return head + b'"type":"user","message":{"role":"user","content":"%s"},%s}\n' % (text, tail)
    blocks = [b'{"type":"text","text":"%s"}' % text]
    blocks += [b'{"type":"tool_use","id":"%s","name":"Bash","input":{"command":"%s"}}' % call for call in calls]
    return head + (b'"message":{"model":"claude-opus-4-5","id":"msg_%08x","type":"message","role":"assistant","content":[%s],"stop_reason":null,'
                   b'"usage":{"input_tokens":3,"cache_creation_input_tokens":900,"cache_read_input_tokens":9000,"output_tokens":900}},'
                   b'"requestId":"req_%08x","type":"assistant",%s}\n' % (n, b",".join(blocks), n, tail))


def codex(n, role, text, calls):
    item = b'{"timestamp":"%s","type":"response_item","payload":%%s}\n' % STAMP
    event = b'{"timestamp":"%s","type":"event_msg","payload":%%s}\n' % STAMP
    if role == b"result":
        return (event % (b'{"type":"exec_command_end","call_id":"%s","turn_id":"1","command":["bash","-lc","x"],"cwd":"/home/user/project","stdout":"",'
                         b'"stderr":"","aggregated_output":"%s","exit_code":0,"duration":{"secs":0,"nanos":1},"formatted_output":"","status":"completed"}' % (calls, text))
                + item % (b'{"type":"function_call_output","call_id":"%s","output":"%s"}' % (calls, text)))
    if role == b"user":
        return (item % (b'{"type":"message","role":"user","content":[{"type":"input_text","text":"%s"}]}' % text)
                + event % (b'{"type":"user_message","message":"%s","images":[]}' % text))
    lines = [item % (b'{"type":"message","role":"assistant","content":[{"type":"output_text","text":"%s"}]}' % text),
             event % (b'{"type":"agent_message","message":"%s"}' % text)]
    lines += [item % (b'{"type":"function_call","name":"exec_command","arguments":"{\\"cmd\\":\\"ls\\"}","call_id":"%s"}' % id_) for id_, _ in calls]
    return b"".join(lines)


def copilot_cli(n, role, text, calls):
    tail = b'"id":"%08x-6b25-4ad1-9f6a","timestamp":"%s","parentId":"%08x-6b25-4ad1-9f6a"}\n' % (n, STAMP, n - 1 if n else 0)
    if role == b"result":
        return (b'{"type":"tool.execution_complete","data":{"toolCallId":"%s","model":"claude-sonnet-4.6","interactionId":"bc99bbbb","turnId":"0",'
                b'"success":true,"result":{"content":"%s","detailedContent":"%s"},"toolTelemetry":{"properties":{"customTimeout":"false"}}},%s'
                % (calls, text, text, tail))
    if role == b"user":
        return b'{"type":"user.message","data":{"content":"%s","transformedContent":"%s","attachments":[]},%s' % (text, text, tail)
    requests = [b'{"toolCallId":"%s","name":"bash","arguments":{"command":"%s"},"type":"function"}' % call for call in calls]
    lines = [b'{"type":"assistant.message","data":{"messageId":"m","model":"claude-sonnet-4.6","content":"%s","toolRequests":[%s]},%s'
             % (text, b",".join(requests), tail)]
    lines += [b'{"type":"tool.execution_start","data":{"toolCallId":"%s","toolName":"bash","arguments":{"command":"%s"}},%s' % (*call, tail) for call in calls]
    return b"".join(lines)


def qwen_code(n, role, text, calls):
    kind, owner, more, parts = b"assistant", b"model", b"", [b'{"text":"%s"}' % text]
    if role == b"user":
        kind = owner = role
    elif role == b"result":
        kind, owner = b"tool_result", b"user"
        parts = [b'{"functionResponse":{"id":"%s","name":"run_shell_command","response":{"output":"%s"}}}' % (calls, text)]
        more = b'"toolCallResult":{"callId":"%s","status":"success","resultDisplay":{"type":"shell_result","output":"%s"}},' % (calls, text)
    else:
        parts += [b'{"functionCall":{"id":"%s","name":"run_shell_command","args":{"command":"%s"}}}' % call for call in calls]
        more = b'"model":"qwen3-coder-plus","usageMetadata":{"promptTokenCount":10342,"candidatesTokenCount":182,"cachedContentTokenCount":8192},'
    parent = b'"%08x"' % (n - 1) if n else b"null"
    return (b'{"uuid":"%08x","parentUuid":%s,"sessionId":"s","timestamp":"%s","type":"%s","cwd":"/w","version":"0.24.4",%s"message":{"role":"%s","parts":[%s]}}\n'
            % (n, parent, STAMP, kind, more, owner, b",".join(parts)))


class GeminiCli:
    """Steps wait for their results: the calls are written again with them."""

    def __init__(self):
        self.step, self.results = None, []

    def __call__(self, n, role, text, calls):
        touch = b'{"$set":{"lastUpdated":"%s"}}\n' % STAMP
        if role == b"result":
            self.results.append((calls, text))
            return b""
        out = self.flush(n) if self.step else b""
        if role == b"user":
            return out + b'{"id":"u%08x","timestamp":"%s","type":"user","content":[{"text":"%s"}]}\n%s' % (n, STAMP, text, touch)
        head = (b'{"id":"g%08x","timestamp":"%s","type":"gemini","content":"%s","thoughts":[{"subject":"Thinking","description":"about it","timestamp":"%s"}],'
                b'"tokens":{"input":10342,"output":182,"cached":8192,"thoughts":236,"tool":0,"total":10760},"model":"gemini-2.5-pro"' % (n, STAMP, text, STAMP))
        self.step = head if calls else None
        return out + head + b"}\n" + touch

    def flush(self, n):
        parts = [b'{"functionResponse":{"id":"%s","name":"run_shell_command","response":{"output":"%s"}}}' % result for result in self.results]
        calls = [b'{"id":"%s","name":"run_shell_command","args":{"command":"ls"},"result":[%s],"status":"success","timestamp":"%s","resultDisplay":"%s"}'
                 % (id_, part, STAMP, text) for (id_, text), part in zip(self.results, parts)]
        out = b'%s,"toolCalls":[%s]}\n{"id":"r%08x","timestamp":"%s","type":"user","content":[%s]}\n' % (
            self.step, b",".join(calls), n, STAMP, b",".join(parts))
        self.step, self.results = None, []
        return out


class OpenCode:
    """A message a line, as a stream of them: one export is one value, which is kept whole."""

    def __init__(self):
        self.step, self.results = None, []

    def __call__(self, n, role, text, calls):
        if role == b"result":
            self.results.append((calls, text))
            return b""
        out = self.flush(n) if self.step is not None else b""
        if role == b"user":
            return out + (b'{"info":{"id":"msg_u%08x","sessionID":"ses_01","role":"user","time":{"created":1763681544000}},"parts":[{"id":"prt_1",'
                          b'"messageID":"msg_u","type":"text","text":"%s"}]}\n' % (n, text))
        self.step = text
        return out if calls else out + self.flush(n)

    def flush(self, n):
        tools = [b'{"id":"prt_3","messageID":"msg_a","type":"tool","callID":"%s","tool":"bash","state":{"status":"completed","input":{"command":"ls"},'
                 b'"output":"%s","title":"ls","metadata":{"output":"%s","exit":0},"time":{"start":1,"end":2}}}' % (id_, text, text)
                 for id_, text in self.results]
        text = b'{"id":"prt_2","messageID":"msg_a","type":"text","text":"%s"}' % self.step
        out = (b'{"info":{"id":"msg_a%08x","sessionID":"ses_01","role":"assistant","parentID":"msg_u","modelID":"claude-opus-4-5","providerID":"anthropic",'
               b'"time":{"created":1763681544000,"completed":1763681545000}},"parts":[{"type":"step-start"},%s]}\n' % (n, b",".join([text, *tools])))
        self.step, self.results = None, []
        return out


FORMATS = {
    "openclaw": lambda: openclaw,
    "claude-code": lambda: claude_code,
    "codex": lambda: codex,
    "copilot-cli": lambda: copilot_cli,
    "gemini-cli": GeminiCli,
    "opencode": OpenCode,
    "qwen-code": lambda: qwen_code,
}


def make(pools, name, size, seed, path):
    say, total = FORMATS[name](), 0
    with open(path, "wb", buffering=4 << 20) as file:
        for n, (role, text, calls) in enumerate(conversation(pools, seed)):
            line = say(n, role, text, calls)
            file.write(line)
            total += len(line)
            # The agent has answered: no call is left open.
            if total >= size and role == b"assistant" and not calls:
                return total


class Session:
    """One session of Claude Code, with ids, times and counts of its own."""

    def __init__(self, number, rng):
        self.number, self.rng = number, rng
        self.at = 1767225600 + number * 7200 + rng.randint(0, 3600)
        self.sent = self.cached = 14_000
        self.n = self.calls = 0

    def compact(self):
        """What an agent writes when its window is full: the context begins anew."""
        self.sent = self.cached = 14_000
        boundary = self.line(b'"type":"system","subtype":"compact_boundary","content":"Conversation compacted"', 60, False)
        return boundary + self.line(b'"type":"user","isCompactSummary":true,"message":{"role":"user","content":"The summary of what was done."}', 1)

    def line(self, rest, seconds, has_parent=True):
        self.at += seconds
        self.n += 1
        ids = [f'"{self.number:06x}{n:06x}-e70b-48a1-b6ae"' for n in (self.n - 1, self.n)]
        stamp = datetime.datetime.fromtimestamp(self.at, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        return (f'{{"parentUuid":{ids[0] if has_parent and self.n > 1 else "null"},"isSidechain":false,"cwd":"/home/user/project{self.number % 9}",'
                f'"sessionId":"{self.number:08x}-e70b","version":"2.1.0","uuid":{ids[1]},"timestamp":"{stamp}",').encode() + rest + b"}\n"

    def __call__(self, role, text, calls):
        rng = self.rng
        if role != b"assistant":
            self.sent += len(text) // 4 + 12
            if role == b"user":
                pause = rng.choices((20, 900, 5400), (80, 14, 6))[0]
                self.cached = 14_000 if pause > 3600 else self.cached
                return self.line(b'"type":"user","message":{"role":"user","content":"%s"}' % text, pause)
            return self.line(b'"type":"user","message":{"role":"user","content":[{"tool_use_id":"%s","type":"tool_result","content":"%s","is_error":false}]}'
                             % (calls, text), rng.randint(1, 9))
        self.calls += 1
        blocks = [b'{"type":"text","text":"%s"}' % text]
        blocks += [b'{"type":"tool_use","id":"%s","name":"Read","input":{"file_path":"/src/file_%d.rs"}}' % (id_, rng.randint(0, 160)) for id_, _ in calls]
        output = sum(map(len, blocks)) // 4 + 4
        usage = (f'{{"input_tokens":3,"cache_creation_input_tokens":{self.sent - self.cached},"cache_read_input_tokens":{self.cached},'
                 f'"cache_creation":{{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":{self.sent - self.cached}}},"output_tokens":{output}}}')
        self.cached, self.sent = self.sent, self.sent + output
        return self.line(b'"type":"assistant","requestId":"req_%06x%06x","message":{"model":"claude-opus-4-5","id":"msg_%06x%06x","type":"message",'
                         b'"role":"assistant","content":[%s],"stop_reason":null,"usage":%s}'
                         % (self.number, self.calls, self.number, self.calls, b",".join(blocks), usage.encode()), rng.randint(2, 20))


def make_sessions(pools, count, size, seed, folder):
    """Sessions of different lengths. One ends when its context is full, and the next begins."""
    rng, total = random.Random(f"sessions {seed}"), 0
    for number in range(count):
        say, most, context = Session(number, random.Random(f"session {seed} {number}")), rng.expovariate(count / size) + 20_000, 150_000
        with open(os.path.join(folder, f"session-{number:05}.jsonl"), "wb") as file:
            for role, text, calls in conversation(pools, f"{seed} {number}"):
                if say.sent > context:
                    file.write(say.compact())
                total += file.write(say(role, text, calls))
                if file.tell() >= most and role == b"assistant" and not calls:
                    break
    return total


def main():
    parser = argparse.ArgumentParser(description="Make one conversation as every agent logs it.")
    parser.add_argument("--size", type=corpus.size_of, default=128 << 20)
    parser.add_argument("--seed", default="7")
    parser.add_argument("--out", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "out"))
    parser.add_argument("--only", help=f"formats, by comma: {','.join(FORMATS)}")
    parser.add_argument("--sessions", type=int, help="make so many sessions of Claude Code, of --size in all")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    pools = corpus.Pools(args.seed)
    if args.sessions:
        size = make_sessions(pools, args.sessions, args.size, args.seed, args.out)
        print(f"{args.sessions} sessions: {size:,} bytes", file=sys.stderr)
        return
    for name in args.only.split(",") if args.only else FORMATS:
        size = make(pools, name, args.size, args.seed, os.path.join(args.out, f"history-{name}.jsonl"))
        print(f"history-{name}.jsonl: {size:,} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
