"""The proxy as a process: ``python -m deadhead.proxy --upstream URL``."""

from __future__ import annotations

import argparse
import logging
import os
import pathlib

import uvicorn

from .._engine import Pruner
from ..errors import Error
from .application import application


def main() -> None:
    """Reads the flags, and serves."""
    flags = argparse.ArgumentParser(prog="python -m deadhead.proxy", description="A reverse proxy that prunes requests to an LLM provider.")
    flags.add_argument("--upstream", required=True, metavar="URL", help="the provider, such as https://api.anthropic.com")
    flags.add_argument("--host", default="127.0.0.1")
    flags.add_argument("--port", type=int, default=8787)
    flags.add_argument("-c", "--config", type=pathlib.Path, metavar="FILE", help="configuration (JSON5)")
    flags.add_argument("--preset", metavar="NAME", help="a named policy (deadhead config presets)")
    workload = os.environ.get("DEADHEAD_WORKLOAD")
    flags.add_argument("--workload", default=workload, metavar="NAME", help="a workload of the configuration (default: $DEADHEAD_WORKLOAD)")
    flags.add_argument("--workload-header", metavar="NAME", help="header that names the workload of a request")
    flags.add_argument("--state", type=pathlib.Path, metavar="FILE", help="keep sessions in this file")
    flags.add_argument("--session-header", metavar="NAME", help="header that names the session")
    flags.add_argument("--strict", action="store_true", help="answer 422 to what cannot be pruned, instead of passing it on")
    given = flags.parse_args()
    headers = {"session_header": given.session_header, "workload_header": given.workload_header}
    try:
        pruner = Pruner(given.config, state=given.state, preset=given.preset, workload=given.workload)
        app = application(given.upstream, pruner, strict=given.strict, **headers)
    except (Error, OSError, ValueError) as error:
        flags.exit(2, f"{flags.prog}: {error}\n")
    logging.basicConfig(format="%(levelname)s:  %(message)s")
    # A client may use its connection again after a while: it is kept for longer than clients keep theirs.
    uvicorn.run(app, host=given.host, port=given.port, access_log=False, timeout_keep_alive=75, server_header=False, date_header=False)


if __name__ == "__main__":
    main()
