"""A hook for the proxy of LiteLLM, which prunes requests before they are routed.

    # pruning.py, beside LiteLLM's config.yaml
    import deadhead, deadhead.litellm
    hook = deadhead.litellm.Pruning(deadhead.Pruner(state="sessions.db"))

    # config.yaml
    litellm_settings:
      callbacks: pruning.hook

It fails open: a body that cannot be pruned is sent unchanged, with a warning in the log ``deadhead``; ``strict=True`` raises, which LiteLLM
answers as an error.
"""

from __future__ import annotations

from typing import Any

from ._extra import Extra

with Extra("litellm"):
    import anyio.to_thread
    from litellm.integrations.custom_logger import CustomLogger
    from litellm.types.utils import all_litellm_params

from ._engine import Pruner
from ._guard import Guard

CALLS = {
    "completion", "acompletion", "anthropic_messages", "responses", "aresponses", "generate_content", "agenerate_content",
    "generate_content_stream", "agenerate_content_stream",
}
"""Calls that carry a transcript. LiteLLM asks no hook where it counts tokens."""

OWN = {*all_litellm_params, "api_version", "base_url", "extra_headers", "timeout"}
"""What of a call is LiteLLM's, rather than the request's body."""

SESSIONS = ("session_id", "litellm_session_id", "trace_id", "user_id")
"""Where the metadata of a request names its session, the first that is there."""

WORKLOAD = "deadhead_workload"
"""Where the metadata of a key, a team or a request names the workload."""


class Pruning(CustomLogger):
    """Prunes requests."""

    def __init__(self, pruner: Pruner | None = None, *, strict: bool = False) -> None:
        super().__init__()
        self.guard = Guard(pruner, strict=strict)

    async def async_pre_call_hook(self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str) -> dict[str, Any]:
        if call_type not in CALLS:
            return data
        body = {key: value for key, value in data.items() if key not in OWN and not key.lstrip("_").startswith("litellm_")}
        pruned = await anyio.to_thread.run_sync(self.guard.value, body, session(data), workload(user_api_key_dict, data))
        return data if pruned is body else {**data, **pruned}


def session(data: dict[str, Any]) -> str | None:
    """The session that a request names: LiteLLM's own field, else its metadata."""
    return first([data.get("litellm_session_id"), *(one.get(key) for one in stated(data) for key in SESSIONS)])


def workload(key: Any, data: dict[str, Any]) -> str | None:
    """The workload of a request: that of its key, else of its key's team, as the gateway's owner set them, else of its metadata."""
    owned = [getattr(key, name, None) for name in ("metadata", "team_metadata")]
    return first([one.get(WORKLOAD) for one in [*owned, *stated(data)] if isinstance(one, dict)])


def stated(data: dict[str, Any]) -> list[dict[str, Any]]:
    """The metadata of a request."""
    found = [one for key in ("metadata", "litellm_metadata") if isinstance(one := data.get(key), dict)]
    # LiteLLM puts what the client stated under this name, beside what it knows itself.
    return found + [own for one in found if isinstance(own := one.get("requester_metadata"), dict)]


def first(names: list[Any]) -> str | None:
    """The first that is a name."""
    return next((name for name in names if isinstance(name, str) and name.strip()), None)
