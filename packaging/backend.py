"""The build of the wheel: maturin's, with the static program put among the scripts that pip installs as they are."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess

import maturin
from maturin import *  # noqa: F403  (the hooks that are not replaced here)

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "python" / "deadhead.data" / "scripts"
# Every hook of maturin's wants the folder.
SCRIPTS.mkdir(parents=True, exist_ok=True)


def program() -> pathlib.Path:
    """The program: the one that DEADHEAD_PROGRAM names, else built here."""
    if named := os.environ.get("DEADHEAD_PROGRAM"):
        return pathlib.Path(named)
    # By its interpreter: in an sdist no file is executable.
    built = subprocess.run(["bash", ROOT / "packaging" / "program"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return pathlib.Path(built.stdout.strip())


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    shutil.copy2(program(), SCRIPTS / "deadhead")
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
