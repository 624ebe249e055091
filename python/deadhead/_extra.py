"""Libraries that a module needs and the package does not: without them, the error says what to install."""

from __future__ import annotations


class Extra:
    """Imports below it are those of an extra of the package."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, ModuleNotFoundError):
            raise ModuleNotFoundError(f"{error}; pip install 'deadhead[{self.name}]' installs what is missing", name=error.name) from None
