#!/usr/bin/env bash
# Guess:    LangMem's summarize_messages (and SummarizationNode) cut a history between steps: a call stays with its results,
#           and what the model has not read yet stays as it is.
# True:     Only a cut right behind the message with the calls is mended. Where the limit is met at the first of two
#           results of one step, the summary takes the calls and this result, and the other result begins the history
#           without its call; the request that asks for the summary has that call without a result. Providers refuse both.
#           And where everything that follows would be larger than the limit, nothing follows: the question and the newest
#           results, which no model has read, become a part of the summary, and the list is one system message.
# Version:  langmem 0.0.30, langchain-core 1.8.3 (PyPI). Python 3.10 or later.
# Source:   the lists that the function returned, and that a made model received, here.
# Date:     2026-11-28
# Seen:     four steps of two results: with max_tokens 700 to 1,000 the list is summary, result y of step 3, step 4; with
#           1,500 it is the summary alone; with 600 and 1,200 the cut is between two steps.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/env"
"$dir/env/bin/pip" install --quiet langmem==0.0.30 langchain-core==1.8.3
cat >"$dir/cut.py" <<'PY'
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langmem.short_term import summarize_messages

asked = []


class Made(GenericFakeChatModel):
    def _generate(self, messages, *args, **named):
        asked.append(messages)
        return super()._generate(messages, *args, **named)


def history():
    messages = [HumanMessage("Which ledger is short? " * 3, id="question")]
    for step in range(1, 5):
        calls = [{"id": f"call {step}{side}", "name": "ledger", "args": {}} for side in "xy"]
        messages.append(AIMessage("", id=f"step {step}", tool_calls=calls))
        messages += [ToolMessage("entry; " * 100, tool_call_id=call["id"], id=f"result {step}{side}") for call, side in zip(calls, "xy")]
    return messages


def alone(messages):
    """Results without calls, and calls without results."""
    calls = {call["id"] for m in messages if isinstance(m, AIMessage) for call in m.tool_calls}
    results = {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}
    return sorted(results - calls), sorted(calls - results)


for limit in (600, 700, 1000, 1200, 1500):
    asked.clear()
    made = summarize_messages(history(), running_summary=None, model=Made(messages=iter([AIMessage("SUMMARY")])), max_tokens=limit, max_summary_tokens=100)
    print(f"{limit}: {[m.id or m.type for m in made.messages]}; alone: {alone(made.messages)}; in the request for the summary: {alone(asked[0])}")
    is_parted = limit in (700, 1000)
    assert alone(made.messages) == ((["call 3y"], []) if is_parted else ([], []))
    assert alone(asked[0]) == (([], ["call 3y"]) if is_parted else ([], []))
    assert (len(made.messages) == 1) == (limit == 1500)
PY
timeout 120 "$dir/env/bin/python" "$dir/cut.py" 2>/dev/null
