"""What can go wrong. The text begins with the place in the input, as the command's does: ``line:column: what (byte n)``."""

from __future__ import annotations


class Error(Exception):
    """Something that deadhead refuses."""

    line: int | None
    """Line of the input, from 1, where it is known."""
    column: int | None
    """Column in bytes, from 1."""
    byte: int | None
    """Byte of the input, from 0."""

    def __init__(self, text: str, line: int | None = None, column: int | None = None, byte: int | None = None) -> None:
        super().__init__(text)
        self.line, self.column, self.byte = line, column, byte

    def __reduce__(self) -> tuple[type[Error], tuple[str, int | None, int | None, int | None]]:
        return type(self), (str(self), self.line, self.column, self.byte)


class ConfigError(Error, ValueError):
    """A configuration that cannot be used."""


class InputError(Error, ValueError):
    """A body or a log that is not understood."""


class RefusedError(Error):
    """The result would have broken the transcript, so there is none."""


class StateError(Error):
    """A state file that cannot be used."""
