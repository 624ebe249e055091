#!/usr/bin/env bash
# Guess:    EventsCompactionConfig(compaction_interval=2, overlap_size=1) of Google's Agent Development Kit replaces old
#           turns by a summary, keeps the newest turn (the overlap) as it was, and the next summary takes the place of
#           the one before.
# True:     Nothing is kept as it was: after every second turn all turns so far are out of the request, the one that was
#           just answered too. The overlap is read by the next summary only, so a turn stands in two summaries. No summary
#           replaces another: each request has all of them, as messages of the model before the first one of the user.
#           With n turns these are n/2 summaries, which nothing ever shortens; each compaction changes the prefix right
#           behind them, so the rest of the provider's cache is of no use.
# Version:  google-adk 2.13.0 (PyPI). Python 3.10 or later.
# Source:   the contents that a made model received here.
# Date:     2026-11-28
# Seen:     the first request of turn 7 is SUMMARY 1, SUMMARY 2, SUMMARY 3 (role model), then the prompt; the prompt of
#           turn 4 stands in the requests for summaries 2 and 3; no result of turn 6 is in the request of turn 7.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m venv "$dir/env"
"$dir/env/bin/pip" install --quiet google-adk==2.13.0
cat >"$dir/turns.py" <<'PY'
import asyncio

from google.adk.agents import Agent
from google.adk.apps._configs import EventsCompactionConfig
from google.adk.apps.app import App
from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

requests, summaries = [], []


def said(contents):
    return [(c.role, " ".join(p.text or ("call" if p.function_call else "result") for p in c.parts)) for c in contents]


class Made(BaseLlm):
    """Looks once a turn, then answers; or writes a summary."""

    async def generate_content_async(self, request, stream=False):
        contents = said(request.contents)
        if self.model == "summaries":
            summaries.append(contents[0][1])
            part = types.Part(text=f"SUMMARY {len(summaries)}")
        else:
            requests.append(contents)
            is_prompt = contents[-1][1].startswith("prompt")
            part = types.Part(function_call=types.FunctionCall(name="look", args={})) if is_prompt else types.Part(text="Seen.")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def look() -> str:
    """Looks."""
    return "line; " * 100


async def main():
    compaction = EventsCompactionConfig(compaction_interval=2, overlap_size=1, summarizer=LlmEventSummarizer(llm=Made(model="summaries")))
    agent = Agent(name="agent", model=Made(model="turns"), instruction="Look.", tools=[look])
    runner = InMemoryRunner(app=App(name="app", root_agent=agent, events_compaction_config=compaction))
    session = await runner.session_service.create_session(app_name="app", user_id="user")
    for turn in range(1, 8):
        prompt = types.Content(role="user", parts=[types.Part(text=f"prompt {turn}")])
        async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=prompt):
            pass


asyncio.run(main())
first = next(contents for contents in requests if contents[-1][1] == "prompt 7")
for role, text in first:
    print(f"{role}: {text}")
print("prompt 4 is in the requests for summaries", [n for n, text in enumerate(summaries, 1) if "prompt 4" in text])
assert first == [("model", "SUMMARY 1"), ("model", "SUMMARY 2"), ("model", "SUMMARY 3"), ("user", "prompt 7")]
assert [("prompt 4" in text) for text in summaries] == [False, True, True]
PY
timeout 120 "$dir/env/bin/python" "$dir/turns.py" 2>/dev/null
