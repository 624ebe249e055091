from datetime import datetime, timedelta
from os import PathLike
from typing import Any, Callable, Generic, Mapping, Sequence, TypeVar, final

Body = TypeVar("Body", bytes, str, dict[str, Any], list[Any])

__version__: str

@final
class Result(Generic[Body]):
    """What comes out, with its report."""

    @property
    def body(self) -> Body:
        """What comes out, of the kind that came in: the very object where nothing is cut."""

    @property
    def changed(self) -> bool:
        """Whether it differs from what came in."""

    @property
    def report(self) -> dict[str, Any]:
        """The report, schema 1. ValueError where the input holds several bodies or none."""

    @property
    def reports(self) -> list[dict[str, Any]]:
        """The report of each body, where the input holds several."""

    @property
    def passed(self) -> list[tuple[int, str]]:
        """Lines, or requests of a batch, that come out as they came, and why."""

@final
class Pruner:
    """Prunes bodies and logs by one configuration. Threads may share it: the lock of the interpreter is released while it works."""

    def __new__(
        cls,
        config: str | PathLike[str] | Mapping[str, Any] | None = None,
        *,
        state: str | PathLike[str] | None = None,
        preset: str | None = None,
        workload: str | None = None,
        format: str | None = None,
    ) -> Pruner:
        """config is JSON5 text, a mapping, or the path of a file (a PathLike). preset names policies, separated by commas. state is the
        state file that sessions are kept in."""

    @property
    def has_state(self) -> bool:
        """Whether it keeps sessions."""

    @property
    def workloads(self) -> list[str]:
        """The names of the configuration's workloads."""

    def _values(self, now: datetime | float | None = None) -> Callable[[Body], Body]:
        """For the values of a column: a function of a body, at one time, without a report."""

    def prune(
        self,
        body: Body,
        *,
        now: datetime | float | None = None,
        last_call: datetime | timedelta | float | None = None,
        session: str | None = None,
        workload: str | None = None,
        model: str | None = None,
    ) -> Result[Body]:
        """Prunes a request body, a list of messages, or a log in memory.

        Times are datetimes with a zone, or seconds since 1970; for last_call, a timedelta is an age. session names the session in the state file;
        without a name, the body's own user, cache key or beginning does. workload names one of the configuration's workloads, instead
        of that of the pruner; model the model, where the body names none.
        """

    def prune_log(
        self,
        path: str | PathLike[str],
        *,
        now: datetime | float | None = None,
        last_call: datetime | timedelta | float | None = None,
        session: str | None = None,
        workload: str | None = None,
    ) -> Result[bytes]:
        """Prunes the log in a file, which is only read. .gz and .zst are unpacked; what comes out is not packed."""

def route(method: str, path: str) -> tuple[str | None] | None:
    """The model that the path of a request names, if its body is a transcript."""

def _before_fork() -> None:
    """Waits until no state file is in use, and closes them."""

def _after_fork() -> None:
    """Lets them be opened again."""

def check(
    body: bytes | str | dict[str, Any] | list[Any], *, format: str | None = None, model: str | None = None, provider: str | None = None
) -> list[dict[str, Any]]:
    """What a provider would refuse of a body or a log: rows of code, message, part and detail."""

def repair(body: Body, *, format: str | None = None, model: str | None = None, provider: str | None = None) -> Result[Body]:
    """Repairs what a provider would refuse. What is left is in ``report["integrity"]["after"]``."""

def replay(
    path: str | PathLike[str],
    *,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
    presets: Sequence[str] = (),
) -> dict[str, Any]:
    """What a policy would have saved over a recorded session: the object of ``deadhead replay --report-format json``."""
