"""deadhead prunes LLM transcripts: request bodies and session logs in, the same JSON out with spent tool output cut.

    import deadhead

    pruner = deadhead.Pruner()
    result = pruner.prune(body)      # bytes, str, dict or list
    send(result.body)                # the same kind; the very object where nothing is cut
    print(result.report["cuts"])     # what was cut, and why

The engine is that of the command ``deadhead``, which this package installs as well.
"""

import os

from ._engine import Pruner, Result, __version__, _after_fork, _before_fork, check, repair, replay
from .errors import ConfigError, Error, InputError, RefusedError, StateError
from .httpx import wrap

os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)

__all__ = [
    "ConfigError",
    "Error",
    "InputError",
    "Pruner",
    "RefusedError",
    "Result",
    "StateError",
    "__version__",
    "check",
    "repair",
    "replay",
    "wrap",
]
