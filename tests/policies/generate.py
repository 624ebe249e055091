#!/usr/bin/env python3
"""Makes new vectors by running the original programs on random conversations: generate.py FOLDER [COUNT [SEED]].

Writes FOLDER/PRESET.jsonl in the form that README.md here describes. `.ci/vectors` installs the programs and compares deadhead with them.
Half of the thresholds are the figure that decides, or one beside it; one placeholder more or less decides as well. Of LiteLLM there are
triggers of tool_uses alone, as its tokenizer is not deadhead's.
"""
import asyncio, copy, json, os, pathlib, random, subprocess, sys

WORDS = "alpha build cache delta error graph index loop module node parse queue river state token value window".split()
ALPHABETS = ["日本語漢字結果", "한국어결과출력", "ＡＢｃｄ１２３！？￥", "🚀👩\u200d💻✅é", "абвгд", "\\\"\n\t{}[]"]
TOOLS = ["read", "grep", "bash", "edit", "fetch_url", "web_search"]
QWEN_TOOLS = ["read_file", "run_shell_command", "grep_search", "glob", "web_fetch", "edit", "write_file", "task"]


def text(dice, most):
    """A text of up to `most` chars: words, or characters of another script."""
    size, out = dice.randint(0, most), ""
    while len(out) < size:
        if dice.random() < 0.6:
            out += dice.choice(WORDS) + dice.choice([" ", ": ", "=", "\n"])
        else:
            out += "".join(dice.choices(dice.choice(ALPHABETS), k=12))
    return out[:size]


def turns(dice, tools):
    """Steps of an agent: for each the text of the model, and its calls with their results: [(text, [(id, tool, input, result, error)])]."""
    count, made = dice.randint(1, 24), 0
    most = dice.choice([40, 400, 4000])
    while made < count:
        calls = []
        for _ in range(dice.choice([1, 1, 1, 2, 3])):
            arguments = {"path": f"src/{dice.choice(WORDS)}.py"} if dice.random() < 0.7 else {"query": text(dice, 60), "n": dice.randint(0, 9)}
            calls.append((f"call_{made:04}_{dice.randint(0, 99999):05}", dice.choice(tools), arguments, text(dice, most), dice.random() < 0.1))
            made += 1
        yield text(dice, 80) if dice.random() < 0.4 else "", calls


def near(dice, number):
    return max(0, number + dice.choice([-1, 0, 1]))


def langchain(dice):
    from langchain.agents.middleware.context_editing import ClearToolUsesEdit
    from langchain_core.messages.utils import convert_to_messages, count_tokens_approximately

    messages = [{"role": "user", "content": "Task: " + text(dice, 200)}]
    for said, calls in turns(dice, TOOLS):
        function = lambda tool, arguments: {"name": tool, "arguments": json.dumps(arguments)}
        made = [{"id": id, "type": "function", "function": function(tool, arguments)} for id, tool, arguments, *_ in calls]
        messages.append({"role": "assistant", "content": said or None, "tool_calls": made})
        messages += [{"role": "tool", "tool_call_id": id, "content": result} for id, _, _, result, _ in calls]
    read = lambda: convert_to_messages(copy.deepcopy(messages))
    tokens = count_tokens_approximately(read())
    settings = {"trigger": near(dice, tokens) if dice.random() < 0.3 else dice.randint(0, tokens), "keep": dice.choice([0, 1, 3, 6])}
    if dice.random() < 0.3:
        settings["exclude_tools"] = dice.sample(TOOLS, 2)
    if dice.random() < 0.4:
        settings["clear_tool_inputs"] = True

    def run(settings):
        after = read()
        ClearToolUsesEdit(**settings).apply(after, count_tokens=count_tokens_approximately)
        return after

    if dice.random() < 0.5:
        freed = tokens - count_tokens_approximately(run(settings))
        settings["clear_at_least"] = near(dice, dice.choice([freed, freed // 2]))
    before, after = read(), run(settings)
    # A list of calls is compared, as a step may have several.
    cleared = [old["id"] for a, b in zip(before, after) for old, new in zip(getattr(a, "tool_calls", []), getattr(b, "tool_calls", []))
               if old["args"] != new["args"]]
    changed = {b.tool_call_id: b.content for a, b in zip(before, after) if b.type == "tool" and a.content != b.content}
    return "openai-chat", settings, {"model": "gpt-5.1", "messages": messages}, {"results": changed, "inputs_cleared": cleared}


def litellm(dice):
    from litellm.llms.anthropic.messages.context_management.dispatcher import apply_context_management

    messages, uses = [{"role": "user", "content": "Task: " + text(dice, 200)}], 0
    for said, calls in turns(dice, TOOLS):
        content = [{"type": "text", "text": said}] if said.strip() else []
        content += [{"type": "tool_use", "id": id, "name": tool, "input": arguments} for id, tool, arguments, *_ in calls]
        messages.append({"role": "assistant", "content": content})
        result = lambda id, found, error: {"type": "tool_result", "tool_use_id": id, "content": found} | ({"is_error": True} if error else {})
        messages.append({"role": "user", "content": [result(id, found, error) for id, _, _, found, error in calls]})
        uses += len(calls)
    edit = {"type": "clear_tool_uses_20250919", "trigger": {"type": "tool_uses", "value": near(dice, dice.choice([uses, uses // 2]))}}
    if dice.random() < 0.7:
        edit["keep"] = {"type": "tool_uses", "value": dice.choice([0, 1, 3, near(dice, uses)])}
    if dice.random() < 0.3:
        edit["exclude_tools"] = dice.sample(TOOLS, 2)
    if dice.random() < 0.4:
        edit["clear_tool_inputs"] = True
    spec = {"edits": [edit]}
    model = "claude-sonnet-4-5"
    made = asyncio.run(apply_context_management(
        model=model, messages=copy.deepcopy(messages), tools=None, system=None, context_management_spec=copy.deepcopy(spec)))
    parts = lambda all, kind: {part["id" if kind == "tool_use" else "tool_use_id"]: part for message in all if isinstance(message["content"], list)
                               for part in message["content"] if part["type"] == kind}
    plain = lambda content: content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
    was, now = parts(messages, "tool_result"), parts(made.messages, "tool_result")
    changed = {id: plain(now[id]["content"]) for id in was if id in now and now[id]["content"] != was[id]["content"]}
    was, now = parts(messages, "tool_use"), parts(made.messages, "tool_use")
    cleared = [id for id in was if id in now and now[id]["input"] != was[id]["input"]]
    body = {"model": model, "max_tokens": 4096, "messages": messages}
    return "anthropic", spec, body, {"results": changed, "inputs_cleared": cleared}


def qwen(dice):
    contents = [{"role": "user", "parts": [{"text": "Task: " + text(dice, 200)}]}]
    chars = 0
    for said, calls in turns(dice, QWEN_TOOLS):
        parts = [{"text": said}] if said else []
        contents.append({"role": "model", "parts": parts + [{"functionCall": {"id": id, "name": tool, "args": arguments}} for id, tool, arguments, *_ in calls]})
        answer = lambda found, error: {"error": found} if error else {"output": found}
        contents.append({"role": "user", "parts": [{"functionResponse": {"id": id, "name": tool, "response": answer(found, error)}}
                                                   for id, tool, _, found, error in calls]})
        chars += sum(len(found.encode("utf-16-le")) // 2 for _, _, _, found, _ in calls)
    settings = {"toolResultsTotalCharsThreshold": near(dice, dice.choice([chars, chars // 2, dice.randint(0, chars)]))}
    if dice.random() < 0.5:
        settings["toolResultsNumToKeep"] = dice.choice([1, 2, 5, 8])
    if dice.random() < 0.5:
        settings["idle_minutes"] = dice.choice([5, 59, 60, 61, 600])
        settings["toolResultsThresholdMinutes"] = dice.choice([-1, 60])
    return "gemini", settings, {"contents": contents}, None


def run_qwen(vectors):
    """Fills in what microcompactHistory of the package at $QWEN_CODE makes of the histories."""
    program = """
        const { microcompactHistory } = await import(process.env.QWEN_CODE);
        let input = "";
        for await (const piece of process.stdin) input += piece;
        const now = Date.now();
        console.log(JSON.stringify(JSON.parse(input).map(([settings, history]) => {
            const { idle_minutes, ...rest } = settings;
            const last = idle_minutes === undefined ? null : now - idle_minutes * 60000;
            return microcompactHistory(history, last, rest).history;
        })));"""
    asked = [[vector["settings"], vector["input"]["contents"]] for vector in vectors]
    command = ["node", "--input-type=module", "-e", program]
    made = json.loads(subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=True).stdout)
    results = lambda contents: {part["functionResponse"]["id"]: part["functionResponse"]["response"] for content in contents
                                for part in content["parts"] if "functionResponse" in part}
    for vector, history in zip(vectors, made):
        was, now = results(vector["input"]["contents"]), results(history)
        changed = {id: next(iter(now[id].values())) for id in was if now[id] != was[id]}
        vector["expected"] = {"results": changed, "inputs_cleared": []}


ORIGINALS = {"langchain-clear-tool-uses": langchain, "litellm-clear-tool-uses": litellm, "qwen-microcompact": qwen}


def main():
    folder, count = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(2**32)
    for preset, make in ORIGINALS.items():
        dice, vectors = random.Random(f"{preset} {seed}"), []
        for number in range(count):
            format, settings, body, expected = make(dice)
            vectors.append({"name": f"{preset}-{seed}-{number}", "preset": preset, "format": format, "settings": settings, "input": body,
                            "expected": expected})
        if make is qwen:
            run_qwen(vectors)
        (folder / f"{preset}.jsonl").write_text("".join(json.dumps(vector) + "\n" for vector in vectors))
    print(f"{count} vectors a preset, seed {seed}")


main()
