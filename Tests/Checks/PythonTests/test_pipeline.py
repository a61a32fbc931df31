"""Pipelines: the same answers in every batch, after saving, copying and pickling."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import SECOND, Measurements, answers, feed, parts

from locomotion import (
    Activity,
    Counts,
    ErrorCode,
    FixStatus,
    Form,
    ItemType,
    ModelError,
    Moving,
    Pipeline,
    PipelineError,
    Rejection,
    StateError,
    _layout,
    _session,
)


# Answers


def test_walk_is_recognized(walk: Measurements) -> None:
    with Pipeline() as pipeline:
        feed(pipeline, walk)
        pipeline.finish()
        samples, fixes, items = pipeline.samples(), pipeline.fixes(), pipeline.timeline()
        counts = pipeline.counts
    assert samples.dtype == _layout.SAMPLE
    assert samples["start"].tolist() == [index * SECOND for index in range(120)]
    assert set(samples["has_accelerations"]) == {1}
    assert np.mean(samples["activity"] == Activity.WALKING) > 0.5
    assert np.nanmedian(samples["cadence"]) == pytest.approx(114, abs=1)
    assert samples["steps"].sum() == pytest.approx(96 * 1.9, rel=0.05)
    assert np.nanmax(samples["rotation_level"]) > 0.1
    assert np.allclose(samples["probabilities"].sum(axis=1), 1, atol=1e-5)
    assert fixes["fix"]["time"].tolist() == walk.fixes["time"].tolist()
    assert set(fixes["status"]) == {FixStatus.USED}
    assert set(fixes["rejection"]) == {Rejection.NONE}
    assert {Moving.MOVING} <= set(fixes["moving"])
    assert ItemType.TRIP in items["type"]
    assert items["end"][-1] == 120 * SECOND
    assert isinstance(counts, Counts)
    assert counts.accelerations.received == counts.accelerations.kept == len(walk.times)
    assert counts.pressures.kept == counts.rotation_rates.received == len(walk.times)
    assert counts.fixes_used == 120


@pytest.mark.parametrize("length", [SECOND // 10, SECOND, 7 * SECOND + 3, 1000 * SECOND])
def test_answers_do_not_depend_on_the_length_of_batches(
    walk: Measurements, expected: tuple[bytes, ...], length: int
) -> None:
    with Pipeline(keeps_recording=True) as pipeline:
        for part in parts(walk, length):
            feed(pipeline, part)
        assert answers(pipeline) == expected


@pytest.mark.parametrize("length", [SECOND, 50 * SECOND])
def test_each_row_is_polled_once(walk: Measurements, length: int) -> None:
    samples, fixes = [], []
    with Pipeline() as pipeline, Pipeline() as whole:
        for part in parts(walk, length):
            feed(pipeline, part)
            samples.append(pipeline.samples())
            fixes.append(pipeline.fixes())
            assert len(pipeline.samples()) == len(pipeline.fixes()) == 0
        feed(whole, walk)
        assert np.concatenate(samples).tobytes() == whole.samples().tobytes()
        assert np.concatenate(fixes).tobytes() == whole.fixes().tobytes()


def test_more_rows_than_are_asked_for_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    times = np.arange(0, 500 * SECOND, SECOND // 25)
    xyz = np.tile(np.array([0, 0, 9.81], np.float32), (len(times), 1))
    found = []
    for polled in ((1, 1), (64, 1 << 14), (1 << 14, 1 << 14)):
        monkeypatch.setattr(_session, "_POLLED", polled)
        with Pipeline() as pipeline:
            pipeline.ingest(accelerations=(times, xyz))
            pipeline.finish()
            found.append(pipeline.samples())
    assert [len(rows) for rows in found] == [500] * 3
    assert len({rows.tobytes() for rows in found}) == 1


def test_arrays_that_are_too_long_for_one_call_are_handed_over_in_pieces(
    walk: Measurements, expected: tuple[bytes, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_session, "_LARGEST_COUNT", 7)
    with Pipeline(keeps_recording=True) as pipeline:
        feed(pipeline, walk)
        assert answers(pipeline) == expected


def test_reset_pipeline_has_seen_nothing(walk: Measurements, expected: tuple[bytes, ...]) -> None:
    with Pipeline(keeps_recording=True) as pipeline:
        feed(pipeline, walk.between(0, 70 * SECOND))
        pipeline.finish()
        pipeline.reset()
        assert len(pipeline.samples()) == pipeline.counts.accelerations.received == 0
        assert pipeline.keeps_recording
        feed(pipeline, walk)
        assert answers(pipeline) == expected


def test_pipeline_without_measurements_has_no_answers() -> None:
    with Pipeline(keeps_recording=True) as pipeline:
        pipeline.process()
        pipeline.ingest()
        for rows in (pipeline.samples(), pipeline.timeline(Form.SMOOTHED)):
            assert len(rows) == 0
        pipeline.finish()
        assert len(pipeline.recording_samples()) == len(pipeline.recording_fixes()) == 0
        assert pipeline.custom_activities == []


def test_impossible_values_are_counted() -> None:
    times = np.arange(1000) * (SECOND // 100)
    xyz = np.tile(np.array([0, 0, 9.81], np.float32), (1000, 1))
    xyz[10] = np.nan
    xyz[20:22] = np.inf
    xyz[30] = 1e30
    times[40] = times[39]
    with Pipeline() as pipeline:
        fix = dict.fromkeys(_layout.FIX.names or (), [0])
        pipeline.ingest(accelerations=(times, xyz), fixes=fix)
        pipeline.finish()
        found = pipeline.counts
        report = pipeline.fixes()[0]
    intake = found.accelerations
    assert (intake.received, intake.not_finite, intake.duplicate) == (1000, 3, 1)
    assert intake.out_of_range == 1
    assert intake.kept == 995
    assert (report["status"], report["rejection"]) == (FixStatus.REJECTED, Rejection.NULL_ISLAND)


# Saving


def pickled(protocol: int) -> Callable[[Pipeline], Pipeline]:
    return lambda pipeline: pickle.loads(pickle.dumps(pipeline, protocol))


COPIES: dict[str, Callable[[Pipeline], Pipeline]] = {
    "restore": lambda pipeline: Pipeline.restore(pipeline.save()),
    "memoryview": lambda pipeline: Pipeline.restore(memoryview(bytearray(pipeline.save()))),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {each}": pickled(each) for each in range(pickle.HIGHEST_PROTOCOL + 1)},
}


@pytest.mark.parametrize("how", COPIES)
def test_copy_goes_on_with_the_same_answers(
    walk: Measurements, expected: tuple[bytes, ...], how: str
) -> None:
    pipeline = Pipeline(keeps_recording=True)
    feed(pipeline, walk.between(0, 41 * SECOND + 7))
    other = COPIES[how](pipeline)
    feed(pipeline, walk.between(41 * SECOND + 7, 50 * SECOND))
    pipeline.close()
    assert type(other) is Pipeline
    assert other.keeps_recording
    # What was not polled came along.
    feed(other, walk.between(41 * SECOND + 7, 120 * SECOND))
    assert answers(other) == expected


def test_original_goes_on_when_its_copy_does(
    walk: Measurements, expected: tuple[bytes, ...]
) -> None:
    pipeline = Pipeline(keeps_recording=True)
    feed(pipeline, walk.between(0, 60 * SECOND))
    other = copy.copy(pipeline)
    other.ingest(accelerations=(walk.times[-9:], walk.xyz[-9:]))
    other.close()
    feed(pipeline, walk.between(60 * SECOND, 120 * SECOND))
    assert answers(pipeline) == expected


class Named(Pipeline):
    """A pipeline with an attribute."""

    phone = "none"


def test_subclass_and_attributes_are_copied(walk: Measurements) -> None:
    pipeline = Named()
    pipeline.phone = "of Ann"
    feed(pipeline, walk)
    for other in (copy.copy(pipeline), pickle.loads(pickle.dumps(pipeline))):
        assert type(other) is Named
        assert other.phone == "of Ann"
        assert other.samples().tobytes() == copy.deepcopy(pipeline).samples().tobytes()
    assert type(Named.restore(pipeline.save())) is Named


def test_state_of_another_process_is_restored(
    walk: Measurements, expected: tuple[bytes, ...]
) -> None:
    pipeline = Pipeline(keeps_recording=True)
    feed(pipeline, walk.between(0, 60 * SECOND))
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        other = pool.apply(copy.copy, (pipeline,))
    feed(other, walk.between(60 * SECOND, 120 * SECOND))
    assert answers(other) == expected


def test_unprocessed_measurements_prevent_saving(walk: Measurements) -> None:
    pipeline = Pipeline()
    pipeline.append_accelerations(walk.times, walk.xyz)
    for save in (pipeline.save, lambda: copy.copy(pipeline), lambda: pickle.dumps(pipeline)):
        with pytest.raises(PipelineError, match="not yet processed") as caught:
            save()
        assert caught.value.code == ErrorCode.UNPROCESSED
    pipeline.process()
    assert len(copy.copy(pipeline).samples()) == len(pipeline.samples()) > 100


def test_damaged_state_is_refused(walk: Measurements) -> None:
    pipeline = Pipeline()
    feed(pipeline, walk)
    state = pipeline.save()
    random = np.random.default_rng(3)
    damaged = [b"", b"x", state[:-1], state[:1000], state + b"x", bytes(len(state))]
    for place in random.integers(0, len(state), 100):
        copied = bytearray(state)
        copied[place] ^= 1 << random.integers(8)
        damaged.append(bytes(copied))
    for bytes_ in damaged:
        with pytest.raises(StateError) as caught:
            Pipeline.restore(bytes_)
        assert caught.value.code in (ErrorCode.STATE, ErrorCode.STATE_VERSION)


def test_pickle_of_a_damaged_state_is_refused(walk: Measurements) -> None:
    pipeline = Pipeline()
    feed(pipeline, walk)
    state = pipeline.__getstate__()
    other = Pipeline.__new__(Pipeline)
    with pytest.raises(StateError):
        other.__setstate__(state | {"pipeline": state["pipeline"][:-3]})
    assert repr(other) == "<Pipeline: closed>"
    with pytest.raises(TypeError, match="state: expected bytes, found int"):
        other.__setstate__(state | {"pipeline": 3})
    with pytest.raises(TypeError, match="model: expected bytes, found str"):
        other.__setstate__(state | {"model": "walk.model"})


# Models


def test_bytes_that_are_no_model_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "walk.model"
    path.write_bytes(b"text")
    for model in (b"", b"text", bytearray(10_000), memoryview(b"text"), path, str(path)):
        with pytest.raises(ModelError) as caught:
            Pipeline(model)
        assert caught.value.code == ErrorCode.MODEL
        assert isinstance(caught.value, ValueError)
    with pytest.raises(FileNotFoundError, match=r"none\.model"):
        Pipeline(tmp_path / "none.model")
    with pytest.raises(TypeError, match="model: expected bytes, found int"):
        Pipeline(3)  # type: ignore[arg-type]
    with pytest.raises(ModelError):
        Pipeline.restore(Pipeline().save(), b"text")
