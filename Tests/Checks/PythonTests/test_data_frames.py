"""The answers of a pipeline as data frames, value by value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import SECOND, Measurements, feed

from locomotion import (
    Activity,
    Form,
    Moving,
    Pipeline,
    Reason,
    _layout,
    to_pandas,
    to_polars,
)

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

KINDS: dict[str, Callable[..., Any]] = {"pandas": to_pandas, "polars": to_polars}
CASES = {"activity", "unknown_reason", "moving", "transition", "status", "rejection", "type"}


@pytest.fixture(scope="module")
def answers_of_walk(walk: Measurements) -> dict[str, Any]:
    """Samples, fixes and the timeline of the walk, with an hour before it and some unknown."""
    with Pipeline(keeps_recording=True) as pipeline:
        feed(pipeline, walk)
        pipeline.ingest(
            fixes={"time": [60 * SECOND, 200 * SECOND], "latitude": [48, 0], "longitude": [11, 0]}
        )
        pipeline.finish()
        return {
            "samples": pipeline.samples(),
            "fixes": pipeline.fixes(),
            "timeline": pipeline.timeline(Form.SMOOTHED),
        }


def values(frame: Any, name: str) -> list[Any]:
    """Return a column; None where a value is missing."""
    if isinstance(frame, pl.DataFrame):
        return list(frame[name].to_list())
    return [None if pd.isna(value) else value for value in frame[name].tolist()]


def expected(rows: Any, name: str) -> list[Any]:
    """Return the column of an array that is no case; None where a value is NaN."""
    return [None if value != value else value for value in rows[name].tolist()]


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_those_of_the_array(answers_of_walk: dict[str, Any], kind: str) -> None:
    for rows in answers_of_walk.values():
        frame = KINDS[kind](rows)
        assert len(frame) == len(rows) > 0
        names = set(rows.dtype.names) - CASES - {"reserved", "fix", "transition_began"}
        for name in names - {"probabilities", "custom_probabilities", "custom_activity"}:
            assert values(frame, name) == expected(rows, name), name
        assert not {"reserved", "probabilities", "custom_probabilities"} & set(frame.columns)


@pytest.mark.parametrize("kind", KINDS)
def test_cases_are_categories_of_names(answers_of_walk: dict[str, Any], kind: str) -> None:
    samples = KINDS[kind](answers_of_walk["samples"])
    rows = answers_of_walk["samples"]
    assert values(samples, "activity") == [Activity(x).name.lower() for x in rows["activity"]]
    assert values(samples, "moving") == [Moving(x).name.lower() for x in rows["moving"]]
    assert values(samples, "unknown_reason") == [
        None if x == -1 else Reason(x).name.lower() for x in rows["unknown_reason"]
    ]
    assert {None, "not_enough_data"} <= set(values(samples, "unknown_reason"))
    fixes = KINDS[kind](answers_of_walk["fixes"])
    assert set(values(fixes, "status")) == {"used", "rejected"}
    assert {None, "null_island"} <= set(values(fixes, "rejection"))
    assert set(values(KINDS[kind](answers_of_walk["timeline"]), "type")) <= {
        "stay",
        "trip",
        "leg",
        "gap",
    }
    for frame in (samples, fixes):
        for name in CASES & set(frame.columns):
            assert frame[name].dtype == ("category" if kind == "pandas" else pl.Enum), name


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_and_fixes_become_columns(answers_of_walk: dict[str, Any], kind: str) -> None:
    rows = answers_of_walk["samples"]
    frame = KINDS[kind](rows)
    for activity in list(Activity)[1:]:
        name = f"p_{activity.name.lower()}"
        assert values(frame, name) == rows["probabilities"][:, activity].tolist()
    assert set(values(frame, "custom_activity")) == {None}
    assert {type(value) for value in values(frame, "has_fix")} == {bool}
    fixes = KINDS[kind](answers_of_walk["fixes"])
    assert values(fixes, "time") == answers_of_walk["fixes"]["fix"]["time"].tolist()
    assert values(fixes, "fix_speed") == expected(answers_of_walk["fixes"]["fix"], "speed")


@pytest.mark.parametrize("kind", KINDS)
def test_times_are_nanoseconds_or_datetimes(answers_of_walk: dict[str, Any], kind: str) -> None:
    rows = answers_of_walk["samples"].copy()
    rows["transition"][:3] = [-1, 0, 1]
    rows["transition_began"][:3] = [0, 5 * SECOND, -7]
    frame = KINDS[kind](rows)
    assert values(frame, "transition_began")[:3] == [None, 5 * SECOND, -7]
    assert values(frame, "transition")[:3] == [None, "stationary", "moving"]
    frame = KINDS[kind](rows, datetimes=True)
    if kind == "pandas":
        assert str(frame["end"].dtype) == "datetime64[ns, UTC]"
        found = frame["end"].dt.tz_convert(None).to_numpy()
        began = frame["transition_began"].dt.tz_convert(None).to_numpy()
    else:
        assert frame["end"].dtype == pl.Datetime("ns", "UTC")
        found, began = frame["end"].to_numpy(), frame["transition_began"].to_numpy()
    assert found.view(np.int64).tolist() == rows["end"].tolist()
    assert np.isnat(began[:3]).tolist() == [True, False, False]
    assert began[1:3].astype(np.int64).tolist() == [5 * SECOND, -7]


@pytest.mark.parametrize("kind", KINDS)
def test_custom_activities_have_names(answers_of_walk: dict[str, Any], kind: str) -> None:
    rows = answers_of_walk["samples"].copy()
    rows["custom_activity"][:4] = [1, -1, 0, 1]
    rows["custom_probabilities"][:, 1] = 0.25
    assert values(KINDS[kind](rows), "custom_activity")[:4] == [1, None, 0, 1]
    frame = KINDS[kind](rows, custom_activities=["scooter", "stairs"])
    assert values(frame, "custom_activity")[:4] == ["stairs", None, "scooter", "stairs"]
    assert set(values(frame, "p_scooter")) == {0}
    assert set(values(frame, "p_stairs")) == {0.25}


@pytest.mark.parametrize("kind", KINDS)
def test_empty_answers_have_the_same_columns(answers_of_walk: dict[str, Any], kind: str) -> None:
    for rows in answers_of_walk.values():
        empty, full = KINDS[kind](rows[:0]), KINDS[kind](rows)
        assert len(empty) == 0
        assert list(empty.columns) == list(full.columns)
        assert list(empty.dtypes) == list(full.dtypes)


@pytest.mark.parametrize("kind", KINDS)
def test_data_frames_keep_their_values_when_the_array_changes(kind: str) -> None:
    rows = np.zeros(3, _layout.TIMELINE_ITEM)
    frame = KINDS[kind](rows)
    before = values(frame, "distance"), values(frame, "start"), values(frame, "type")
    rows[:] = np.ones(1, _layout.TIMELINE_ITEM)[0]
    assert (values(frame, "distance"), values(frame, "start"), values(frame, "type")) == before


@pytest.mark.parametrize("kind", KINDS)
def test_other_arrays_are_refused(kind: str) -> None:
    with pytest.raises(TypeError, match="expected the answers of a pipeline, found an array of f"):
        KINDS[kind](np.zeros(3))
    with pytest.raises(TypeError, match="expected the answers of a pipeline, found list"):
        KINDS[kind]([])
