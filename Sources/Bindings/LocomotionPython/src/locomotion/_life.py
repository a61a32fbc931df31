"""What becomes of a pipeline: it is created, saved, restored, copied, reset and closed."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias, TypeVar

from ._session import Session

Model: TypeAlias = bytes | bytearray | memoryview | str | os.PathLike[str] | None
"""The content of a model file, the path of one, or None for the built-in model."""

LifeT = TypeVar("LifeT", bound="Life")


class Life:
    """The life of a `Pipeline`."""

    # A pipeline whose creation failed is a closed one.
    _session: Session | None = None

    def __init__(self, model: Model = None, *, keeps_recording: bool = False) -> None:
        self._session = Session.create(_content(model), keeps_recording=keeps_recording)

    # Life

    @classmethod
    def restore(
        cls: type[LifeT], state: bytes | bytearray | memoryview, model: Model = None
    ) -> LifeT:
        """Return a pipeline that goes on where another one was saved, with the same answers.

        Parameters
        ----------
        state : bytes
            What `save` returned, in any build of the same version of the library.
        model : bytes or path, optional
            The model that the saved pipeline was created with. It is not part of the state.

        Raises
        ------
        StateError
            `state` is damaged, of another version, or was saved with another model.
        ModelError, OSError
            As when a pipeline is created.
        TypeError
            `state` are no bytes.
        """
        pipeline = cls.__new__(cls)
        pipeline._session = Session.restore(_bytes(state, "state"), _content(model))
        return pipeline

    def save(self) -> bytes:
        """Return the state, with what was not polled and what is kept: about 50 kB.

        The model is not part of it.

        Raises
        ------
        PipelineError
            Something was appended and not yet processed (UNPROCESSED).
        """
        return self._open.save()

    def reset(self) -> None:
        """Make the pipeline one that has seen nothing; what was not polled is lost."""
        self._open.call("locomotion_reset")

    def close(self) -> None:
        """Free the pipeline; a second time does nothing.

        Raises
        ------
        PipelineError
            Another thread uses it (BUSY); it stays open.
        """
        if self._session is not None:
            self._session.close()

    @property
    def is_closed(self) -> bool:
        """Whether the pipeline was closed."""
        return self._session is None or not self._session.is_open

    @property
    def _open(self) -> Session:
        if self._session is None:
            raise ValueError("the pipeline is closed")
        return self._session

    def __enter__(self: LifeT) -> LifeT:
        self._open.check()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        session = self._open
        others = {name: value for name, value in self.__dict__.items() if name != "_session"}
        return {"pipeline": session.save(), "model": session.model, "attributes": others}

    def __setstate__(self, state: dict[str, Any]) -> None:
        model = state["model"]
        self._session = Session.restore(
            _bytes(state["pipeline"], "state"), None if model is None else _bytes(model, "model")
        )
        self.__dict__.update(state["attributes"])


def _content(model: Model) -> bytes | None:
    """Return the content of a model file."""
    if model is None:
        return None
    if isinstance(model, (str, os.PathLike)):
        return Path(model).read_bytes()
    return _bytes(model, "model")


def _bytes(value: Any, name: str) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(f"{name}: expected bytes, found {type(value).__name__}")
    return bytes(value)
