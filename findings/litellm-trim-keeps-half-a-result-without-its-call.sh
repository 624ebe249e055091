#!/usr/bin/env bash
# Guess:    litellm.utils.trim_messages(messages, max_tokens=N) drops the oldest messages, a call with its results, until
#           at most N tokens are left; the user's question may go, a tool loop stays valid.
# True:     The results at the end of the list do not count at all: they come on top of N, however long they are. What is
#           left of N goes to the newest other messages, and the first that does not fit is shortened in its middle, be it
#           the result of a call that is dropped. So in a tool loop the list begins, at most limits, with a piece of a
#           result that answers no call, for which providers have a 400, and is longer than N.
# Version:  litellm 1.108.7 (PyPI). Python 3.10 or later.
# Source:   the lists that the function returned here, counted by its own token_counter.
# Date:     2026-11-28
# Seen:     for each of 700, 1,100 and 1,400 tokens the list is system, tool, assistant, tool …; its first result has no
#           call and no message of the user is left. 700 tokens become 1,427, 1,100 become 1,827, 1,400 become 2,127.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/env"
"$dir/env/bin/pip" install --quiet litellm==1.108.7
cat >"$dir/trim.py" <<'PY'
from litellm.utils import token_counter, trim_messages

QUESTION = {"role": "user", "content": "Which of the four ledgers is short, and by how much? " * 9}
messages = [{"role": "system", "content": "Be brief."}, QUESTION]
for n in range(4):
    function = {"name": "ledger", "arguments": "{}"}
    messages.append({"role": "assistant", "content": None, "tool_calls": [{"id": f"call_{n}", "type": "function", "function": function}]})
    messages.append({"role": "tool", "tool_call_id": f"call_{n}", "content": f"LEDGER {n}: " + "entry 12.50; " * 120})

for limit in (700, 1100, 1400):
    kept = trim_messages(list(messages), model="gpt-4o", max_tokens=limit)
    calls = {call["id"] for message in kept for call in message.get("tool_calls") or []}
    results = [message["tool_call_id"] for message in kept if message["role"] == "tool"]
    orphans = [name for name in results if name not in calls]
    tokens = token_counter(model="gpt-4o", messages=kept)
    print(f"{limit}: {[message['role'] for message in kept]}, {tokens} tokens, results without a call: {orphans}")
    assert [message["role"] for message in kept][:2] == ["system", "tool"]
    assert len(orphans) == 1 and len(next(m for m in kept if m["role"] == "tool")["content"]) < len(messages[3]["content"])
    assert QUESTION not in kept
    assert tokens > limit + 600
PY
LITELLM_LOCAL_MODEL_COST_MAP=True timeout 120 "$dir/env/bin/python" "$dir/trim.py" 2>/dev/null
