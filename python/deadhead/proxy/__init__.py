"""A reverse proxy that prunes requests on their way to a provider: an ASGI application on Starlette and httpx.

    python -m deadhead.proxy --upstream https://api.anthropic.com --preset break-even --state sessions.db
    ANTHROPIC_BASE_URL=http://127.0.0.1:8787 claude

Everything but the body of a request that carries a transcript passes byte for byte, answers and their streams too. It fails open:
a body that cannot be pruned is sent unchanged, and is counted; ``strict=True`` answers 422 instead. ``/metrics`` has the counts for
Prometheus.
"""

from .application import application

__all__ = ["application"]
