"""Pipelines: closing, misuse, threads, forks and the end of the interpreter."""

from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from conftest import SECOND, Measurements, answers, feed, parts

from locomotion import (
    ErrorCode,
    Form,
    Pipeline,
    PipelineError,
    _session,
)


def test_closed_pipeline_is_refused(walk: Measurements) -> None:
    pipeline = Pipeline()
    with pipeline as entered:
        assert entered is pipeline
        assert not pipeline.is_closed
    assert pipeline.is_closed
    assert repr(pipeline) == "<Pipeline: closed>"
    pipeline.close()
    calls: list[Callable[..., Any]] = [
        lambda: feed(pipeline, walk),
        lambda: pipeline.append_accelerations([], []),
        lambda: pipeline.append_fixes({"time": [], "latitude": [], "longitude": []}),
        pipeline.process,
        pipeline.finish,
        pipeline.reset,
        pipeline.samples,
        pipeline.fixes,
        pipeline.timeline,
        pipeline.recording_samples,
        pipeline.recording_fixes,
        pipeline.save,
        lambda: pipeline.counts,
        lambda: pipeline.keeps_recording,
        lambda: pipeline.custom_activities,
        lambda: copy.copy(pipeline),
        lambda: pickle.dumps(pipeline),
        lambda: pipeline.__enter__(),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"^the pipeline is closed$|shape"):
            call()


def test_pipeline_that_was_not_created_is_closed() -> None:
    pipeline = Pipeline.__new__(Pipeline)
    assert pipeline.is_closed
    pipeline.close()
    with pytest.raises(ValueError, match="the pipeline is closed"):
        pipeline.process()


def test_pipeline_says_what_it_saw(walk: Measurements) -> None:
    pipeline = Pipeline(keeps_recording=True)
    feed(pipeline, walk)
    assert repr(pipeline) == "<Pipeline: 12,000 accelerations, 120 fixes, keeps its recording>"
    assert repr(Pipeline()) == "<Pipeline: 0 accelerations, 0 fixes>"


def test_memory_is_freed_with_the_object() -> None:
    # There can be 16,383 at a time.
    for _ in range(20_000):
        Pipeline()
    pipeline = Pipeline()
    reference = weakref.ref(pipeline)
    del pipeline
    assert reference() is None


def test_finished_pipeline_takes_nothing_in(walk: Measurements) -> None:
    pipeline = Pipeline()
    feed(pipeline, walk)
    pipeline.finish()
    calls: list[Callable[[], None]] = [
        lambda: feed(pipeline, walk),
        pipeline.process,
        pipeline.finish,
    ]
    for call in calls:
        with pytest.raises(PipelineError, match="was finished") as caught:
            call()
        assert caught.value.code == ErrorCode.FINISHED
    assert len(pipeline.samples()) == 120


def test_recording_that_is_not_kept_is_an_error(walk: Measurements) -> None:
    pipeline = Pipeline()
    feed(pipeline, walk)
    assert not pipeline.keeps_recording
    calls: tuple[Callable[[], Any], ...] = (
        pipeline.recording_samples,
        pipeline.recording_fixes,
        lambda: pipeline.timeline(Form.SMOOTHED),
    )
    for call in calls:
        with pytest.raises(PipelineError) as caught:
            call()
        assert caught.value.code == ErrorCode.NOT_KEPT
    with pytest.raises(ValueError, match="7 is not a valid Form"):
        pipeline.timeline(7)  # type: ignore[arg-type]


# Threads and processes


def test_second_thread_is_refused_while_the_first_is_in_the_library(walk: Measurements) -> None:
    pipeline = Pipeline()
    assert pipeline._session is not None
    session = pipeline._session
    found: list[BaseException | str] = []

    def other() -> None:
        found.append(repr(pipeline))
        for call in (pipeline.process, pipeline.samples, pipeline.close):
            try:
                call()
            except PipelineError as error:
                found.append(error)

    with session.use():
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert found[0] == "<Pipeline: in use>"
    assert [error.code for error in found[1:]] == [ErrorCode.BUSY] * 3  # type: ignore[union-attr]
    feed(pipeline, walk)
    assert len(pipeline.samples()) == 119


def test_threads_with_one_pipeline_lose_and_repeat_nothing(walk: Measurements) -> None:
    pipeline = Pipeline()
    seconds: list[int] = []
    refused = []
    ends = threading.Event()

    def poll() -> None:
        while not ends.is_set():
            try:
                seconds.extend(pipeline.samples()["start"].tolist())
            except PipelineError as error:
                refused.append(error.code)
            # Without a pause the thread that appends would hardly get its turn.
            time.sleep(0.001)

    threads = [threading.Thread(target=poll) for _ in range(3)]
    for thread in threads:
        thread.start()
    for part in parts(walk, SECOND // 2):
        while True:
            try:
                feed(pipeline, part)
                break
            except PipelineError as error:
                assert error.code == ErrorCode.BUSY
    ends.set()
    for thread in threads:
        thread.join()
    pipeline.finish()
    seconds.extend(pipeline.samples()["start"].tolist())
    assert sorted(seconds) == [index * SECOND for index in range(120)]
    assert set(refused) <= {ErrorCode.BUSY}


def test_threads_with_pipelines_of_their_own_get_the_same_answers(
    walk: Measurements, expected: tuple[bytes, ...]
) -> None:
    found = []

    def run() -> None:
        pipeline = Pipeline(keeps_recording=True)
        for part in parts(walk, 3 * SECOND):
            feed(pipeline, part)
        found.append(answers(pipeline))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_child_of_a_fork_has_a_pipeline_of_its_own(
    walk: Measurements, expected: tuple[bytes, ...]
) -> None:
    program = """if True:
        import os, pickle, sys
        pipeline, rest = pickle.load(sys.stdin.buffer)
        if os.fork() == 0:
            pipeline.ingest(**rest)
            pipeline.finish()
            print(len(pipeline.samples()), flush=True)
            sys.exit()
        os.wait()
        pipeline.ingest(**rest)
        pipeline.finish()
        print(len(pipeline.samples()))
    """
    pipeline = Pipeline()
    feed(pipeline, walk.between(0, 60 * SECOND))
    rest = walk.between(60 * SECOND, 120 * SECOND)
    given = pickle.dumps((pipeline, {"accelerations": (rest.times, rest.xyz)}))
    found = subprocess.run([sys.executable, "-c", program], input=given, capture_output=True)
    assert (found.stdout, found.stderr, found.returncode) == (b"120\n120\n", b"", 0)


def test_open_pipelines_do_no_harm_at_the_end_of_the_interpreter() -> None:
    program = """if True:
        import threading, time
        from locomotion import Pipeline
        pipeline, others = Pipeline(), [Pipeline() for _ in range(10)]
        others.append(others)
        class Late:
            def __del__(self):
                print(repr(pipeline).split(":")[0])
        late = Late()
        def run():
            while True:
                try:
                    pipeline.samples()
                except Exception:
                    pass  # The library's pipelines end before daemon threads do.
        threading.Thread(target=run, daemon=True).start()
        time.sleep(0.2)
    """
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (found.stderr, found.returncode) == ("", 0)
