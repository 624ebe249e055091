"""The module and the command are one engine: the same bytes, or the same refusal, for every sample and for damaged ones."""

from __future__ import annotations

import json
import pathlib

import pytest
from conftest import NOW, run, samples

import deadhead

SETTINGS = {
    "built in": ({}, []),
    "aggressive": ({"contextPruning": {"mode": "aggressive", "keepLastAssistants": 1}}, ["--set", "contextPruning.keepLastAssistants=1", "--mode", "aggressive"]),
    "others": (
        {"passes": {"on": ["dedupe", "turn-drop", "ephemeral", "stale-resource"]}, "contextPruning": {"mode": "adaptive"}},
        ["--pass", "dedupe,turn-drop,ephemeral,stale-resource", "--mode", "adaptive"],
    ),
}


def damaged(name: str, content: bytes) -> list[tuple[str, bytes]]:
    """A sample, and what may become of it on its way."""
    lines = content.splitlines(keepends=True)
    return [
        (name, content),
        (f"{name}, cut off", content[: len(content) * 2 // 3]),
        (f"{name}, CRLF and BOM", b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n")),
        (f"{name}, a line twice", b"".join([*lines[:1], *lines])),
    ]


@pytest.mark.parametrize("settings", SETTINGS)
def test_every_sample(settings: str, tmp_path: pathlib.Path) -> None:
    config, flags = SETTINGS[settings]
    pruner = deadhead.Pruner(config)
    all_samples = samples()
    assert len(all_samples) > 30
    cut = refused = 0
    for name, content in (case for sample in all_samples for case in damaged(*sample)):
        path = tmp_path / "input"
        path.write_bytes(content)
        done = run("prune", "--now", str(NOW), *flags, "--report", tmp_path / "report", "--report-format", "json", "-o", tmp_path / "out", path)
        if done.returncode in (2, 3) and not (tmp_path / "out").exists():
            refused += 1
            for call in (lambda: pruner.prune(content, now=NOW), lambda: pruner.prune_log(path, now=NOW)):
                with pytest.raises(deadhead.Error) as error:
                    call()
                assert isinstance(error.value, deadhead.RefusedError) == (done.returncode == 3), name
            continue
        want = (tmp_path / "out").read_bytes()
        (tmp_path / "out").unlink()
        pruned, read = pruner.prune(content, now=NOW), pruner.prune_log(path, now=NOW)
        assert pruned.body == want, name
        assert read.body == want, name
        assert pruned.changed == read.changed == (want != content), name
        if not pruned.changed:
            assert pruned.body is content, name
        cut += pruned.changed
        report = json.loads((tmp_path / "report").read_bytes())
        reports = report[:-1] if isinstance(report, list) else [report]
        assert [r["cuts"] for r in pruned.reports] == [r["cuts"] for r in reports], name
        assert [r["cuts"] for r in read.reports] == [r["cuts"] for r in reports], name
    assert cut > 5 and refused > 50, (cut, refused)
