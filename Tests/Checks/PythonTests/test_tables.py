"""What a pipeline takes in: arrays and data frames of every layout and type, and refusals."""

from __future__ import annotations

import array
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import SECOND, Measurements

from locomotion import Pipeline, _layout, _tables

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")


def samples(*measurements: Any) -> bytes:
    """Return what a pipeline says of accelerations."""
    with Pipeline() as pipeline:
        pipeline.append_accelerations(*measurements)
        pipeline.finish()
        return pipeline.samples().tobytes()


@pytest.fixture(scope="module")
def expected(walk: Measurements) -> bytes:
    return samples(walk.times, walk.xyz)


def columns_of(walk: Measurements) -> dict[str, Any]:
    return {"time": walk.times, **{name: walk.xyz[:, axis] for axis, name in enumerate("xyz")}}


class Stream:
    """An object that has nothing but Arrow's stream protocol."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.table.__arrow_c_stream__(requested_schema)


class OneArray:
    """An object that has nothing but Arrow's array protocol."""

    def __init__(self, batch: Any) -> None:
        self.batch = batch

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self.batch.__arrow_c_array__(requested_schema)


def chunked(table: Any, *lengths: int) -> Any:
    """Return a table of pyarrow whose columns are cut at different places."""
    cut = []
    for index, name in enumerate(table.column_names):
        column, length = table.column(name), lengths[index % len(lengths)]
        starts = range(0, len(column), length)
        cut.append(pa.chunked_array([column.slice(s, length).combine_chunks() for s in starts]))
    return pa.table(dict(zip(table.column_names, cut, strict=True)))


def structured(columns: dict[str, Any]) -> Any:
    """Return columns as an array of records of 21 bytes, which are not aligned."""
    kinds = [("flag", "u1"), *((name, values.dtype) for name, values in columns.items())]
    records = np.zeros(len(columns["time"]), kinds)
    for name, values in columns.items():
        records[name] = values
    return records


def strided(values: Any, step: int) -> Any:
    """Return the values as every so-manieth element of a larger array; a step may be negative."""
    room = np.full((len(values) * abs(step), *values.shape[1:]), 77, values.dtype)
    room[::step] = values
    return room[::step]


def unaligned(values: Any) -> Any:
    room = np.zeros(values.nbytes + 1, np.uint8)
    found = room[1:].view(values.dtype).reshape(values.shape)
    found[:] = values
    return found


ARRAYS: dict[str, Callable[[Any, Any], tuple[Any, ...]]] = {
    "three columns": lambda t, v: (t, *v.T),
    "columns of their own": lambda t, v: (t, *map(np.ascontiguousarray, v.T)),
    "columns with different steps": lambda t, v: (t, v[:, 0], v[:, 1].copy(), strided(v[:, 2], 5)),
    "columns first": lambda t, v: (t, np.asfortranarray(v)),
    "four columns": lambda t, v: (t, np.hstack([v, v])[:, :3]),
    "reversed columns": lambda t, v: (t, np.ascontiguousarray(v[:, ::-1])[:, ::-1]),
    "steps": lambda t, v: (strided(t, 3), strided(v, 4)),
    "negative steps": lambda t, v: (strided(t, -1), strided(v, -2)),
    "read-only": lambda t, v: (np.frombuffer(t.tobytes(), "i8"), v),
    "big-endian": lambda t, v: (t.astype(">i8"), v.astype(">f4")),
    "not aligned": lambda t, v: (unaligned(t), unaligned(v)),
    "float64": lambda t, v: (t, v.astype(np.float64)),
    "long double": lambda t, v: (t, *v.astype(np.longdouble).T),
    "uint64": lambda t, v: (t.astype(np.uint64), v),
    "lists": lambda t, v: (t.tolist(), v.tolist()),
    "buffers": lambda t, v: (array.array("q", t), memoryview(v)),
    "datetimes": lambda t, v: (t.astype("datetime64[ns]"), v),
    "milliseconds": lambda t, v: ((t // 10**6).astype("datetime64[ms]"), v),
    "units of 10 ms": lambda t, v: ((t // 10**7).astype("datetime64[10ms]"), v),
    "big-endian microseconds": lambda t, v: ((t // 1000).astype(">M8[us]"), v),
    "picoseconds": lambda t, v: ((t * 1000 + 7).astype("datetime64[ps]"), v),
    "durations": lambda t, v: ((t // 10**6).astype("timedelta64[ms]"), v),
    "masked without masks": lambda t, v: (np.ma.array(t), np.ma.array(v)),
    "pandas series": lambda t, v: (pd.Series(t, index=t[::-1]), *map(pd.Series, v.T)),
    "pandas index": lambda t, v: (pd.DatetimeIndex(t, tz="Asia/Tokyo"), pd.DataFrame(v)),
    "polars series": lambda t, v: (pl.Series(t), *map(pl.Series, v.T)),
    "polars frame": lambda t, v: (pl.Series(t), pl.DataFrame(v)),
    "pyarrow arrays": lambda t, v: (pa.array(t), *map(pa.array, map(np.ascontiguousarray, v.T))),
}


@pytest.mark.parametrize("layout", ARRAYS)
def test_answers_do_not_depend_on_the_layout(
    walk: Measurements, expected: bytes, layout: str
) -> None:
    assert samples(*ARRAYS[layout](walk.times, walk.xyz)) == expected


TABLES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "mapping": lambda c: c,
    "other names": lambda c: dict(zip(("timestamp", "ax", "ay", "az"), c.values(), strict=True)),
    "other columns": lambda c: {"id": ["a"] * len(c["time"]), **c, "gx": c["x"]},
    "structured": structured,
    "pandas": pd.DataFrame,
    "pandas float64": lambda c: pd.DataFrame(c).astype({"x": "float64", "y": "float64"}),
    "pandas nullable": lambda c: pd.DataFrame(c).convert_dtypes(),
    "pandas arrow": lambda c: pd.DataFrame(c).convert_dtypes(dtype_backend="pyarrow"),
    "pandas datetimes": lambda c: pd.DataFrame(c | {"time": pd.to_datetime(c["time"])}),
    "pandas zone": lambda c: pd.DataFrame(c | {"time": pd.to_datetime(c["time"], utc=True)}),
    "pandas index": lambda c: pd.DataFrame(c).set_index("time"),
    "pandas index of datetimes": lambda c: pd.DataFrame(
        {name: c[name] for name in "xyz"}, pd.to_datetime(c["time"])
    ),
    "pandas datetimes called t": lambda c: pd.DataFrame(
        {"t": pd.to_datetime(c["time"]), **{name: c[name] for name in "xyz"}}
    ),
    "pandas every second row": lambda c: pd.DataFrame(
        {name: np.repeat(values, 2) for name, values in c.items()}
    ).iloc[::2],
    "polars": pl.DataFrame,
    "polars chunks": lambda c: pl.concat(
        [pl.DataFrame(c)[:5], pl.DataFrame(c)[5:900], pl.DataFrame(c)[900:]], rechunk=False
    ),
    "polars uneven chunks": lambda c: pl.DataFrame(c).with_columns(
        pl.concat([pl.Series("x", c["x"][:70]), pl.Series("x", c["x"][70:])], rechunk=False)
    ),
    "polars zone": lambda c: pl.DataFrame(c).with_columns(
        pl.from_epoch("time", "ns").dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo")
    ),
    "pyarrow": lambda c: pa.table({n: np.ascontiguousarray(v) for n, v in c.items()}),
    "pyarrow chunks": lambda c: chunked(TABLES["pyarrow"](c), 1000, 17, 640),
    "pyarrow slice": lambda c: pa.concat_tables([TABLES["pyarrow"](c)] * 2).slice(
        len(c["time"]), len(c["time"])
    ),
    "pyarrow batch": lambda c: TABLES["pyarrow"](c).combine_chunks().to_batches()[0],
    "pyarrow reader": lambda c: TABLES["pyarrow chunks"](c).to_reader(),
    "pyarrow zone": lambda c: TABLES["pyarrow"](c).set_column(
        0, "time", pa.array(c["time"]).cast(pa.timestamp("ns", "Asia/Tokyo"))
    ),
    "stream": lambda c: Stream(TABLES["pyarrow chunks"](c)),
    "stream of polars": lambda c: Stream(pl.DataFrame(c)),
    "array": lambda c: OneArray(TABLES["pyarrow batch"](c)),
}


@pytest.mark.parametrize("kind", TABLES)
def test_answers_do_not_depend_on_the_kind_of_table(
    walk: Measurements, expected: bytes, kind: str
) -> None:
    assert samples(TABLES[kind](columns_of(walk))) == expected


@pytest.mark.parametrize("kind", TABLES)
def test_empty_table_is_taken_in(walk: Measurements, kind: str) -> None:
    columns = {name: values[:0] for name, values in columns_of(walk).items()}
    try:
        table = TABLES[kind](columns)
    except (pa.ArrowInvalid, IndexError):
        pytest.skip("the library has no such table without rows")
    with Pipeline() as pipeline:
        pipeline.append_accelerations(table)
        assert pipeline.counts.accelerations.received == 0


def test_columns_without_rows_and_type_are_taken_in() -> None:
    empty: dict[str, list[float]] = {name: [] for name in ("time", "x", "y", "z")}
    frames = (empty, pd.DataFrame(empty), pd.DataFrame(columns=list(empty)), pl.DataFrame(empty))
    with Pipeline() as pipeline:
        for table in (*frames, pa.table({name: pa.nulls(0) for name in empty})):
            pipeline.append_accelerations(table)
        pipeline.append_accelerations([], [], [], [])
        pipeline.append_accelerations([], np.empty((0, 3)))
        assert pipeline.counts.accelerations.received == 0


@pytest.mark.parametrize(
    "layout", ["three columns", "columns of their own", "columns first", "four columns", "buffers"]
)
def test_float32_is_not_copied(walk: Measurements, layout: str) -> None:
    times, *values = ARRAYS[layout](walk.times, walk.xyz)
    (found,) = _tables.measurements("accelerations", (times, *values))
    assert np.shares_memory(found.times, np.asarray(times))
    for axis in found.values:
        assert any(np.shares_memory(axis, np.asarray(value)) for value in values)


@pytest.mark.parametrize("kind", ["structured", "pandas", "polars chunks", "pyarrow chunks"])
def test_columns_of_data_frames_are_not_copied(walk: Measurements, kind: str) -> None:
    columns = {name: np.ascontiguousarray(values) for name, values in columns_of(walk).items()}
    if kind == "structured":
        # Of 24 bytes, whose fields are aligned.
        kinds = [("time", "i8"), ("x", "f4"), ("y", "f4"), ("z", "f4"), ("p", "i4")]
        table = np.zeros(len(walk.times), kinds)
        own = [table[name] for name in "xyz"]
    else:
        table = TABLES[kind](columns)
    found = _tables.measurements("accelerations", (table,))
    again = _tables.measurements("accelerations", (table,))
    for one, other in zip(found, again, strict=True):
        for left, right in zip(one.values, other.values, strict=True):
            assert left.__array_interface__["data"][0] == right.__array_interface__["data"][0]
    assert sum(map(len, found)) == len(walk.times)
    if kind == "structured":
        assert found[0].stride == 6
        assert np.shares_memory(found[0].values[2], own[2])
    if kind.endswith("chunks"):
        assert len(found) > 1


def test_nothing_beyond_the_arrays_is_read(walk: Measurements) -> None:
    room = np.full((len(walk.xyz), 5), np.nan, np.float32)
    room[:, :3] = walk.xyz
    for length in (0, 1, 2, 3):
        with Pipeline() as pipeline:
            pipeline.ingest(accelerations=(walk.times[:length], room[:length, :3]))
            found = pipeline.counts.accelerations
            assert (found.received, found.not_finite) == (length, 0)


@pytest.mark.parametrize("missing", ["pandas", "pandas arrow", "polars", "pyarrow", "masked"])
def test_missing_values_are_nan(missing: str) -> None:
    values = [9.81, None, 9.81, None]
    tables: dict[str, Callable[[], Any]] = {
        "pandas": lambda: pd.array(values, "Float32"),
        "pandas arrow": lambda: pd.array(values, "float[pyarrow]"),
        "polars": lambda: pl.Series(values, dtype=pl.Float32),
        "pyarrow": lambda: pa.array(values, pa.float32()),
        "masked": lambda: np.ma.masked_equal([9.81, 1, 9.81, 1], 1),
    }
    column = tables[missing]()
    with Pipeline() as pipeline:
        pipeline.ingest(accelerations=(np.arange(4) * 10**7, column, column, column))
        found = pipeline.counts.accelerations
    assert (found.received, found.not_finite, found.out_of_range) == (4, 2, 0)


INTS = np.arange(4)
BAD_TIMES: dict[str, tuple[Any, type[Exception], str]] = {
    "floats": (INTS / 50, TypeError, r"found float64; seconds are np\.rint"),
    "float list": ([0.0, 0.1, 0.2, 0.3], TypeError, "expected integers"),
    "bool": (INTS > 0, TypeError, "found bool"),
    "text": (["a"] * 4, TypeError, "expected integers"),
    "objects": (np.array([0, 1, 2, 3], object), TypeError, "found object"),
    "one number": (7, ValueError, "expected one dimension, found 0"),
    "two dimensions": (INTS[:, None], ValueError, "expected one dimension, found 2"),
    "too large": (INTS.astype(np.uint64) << np.uint64(62), ValueError, r"at most 2\^63 - 1"),
    "not a time": (np.array([0, "NaT", 2, 3], "M8[s]"), ValueError, "found missing ones"),
    "far away": (np.array([1, 2, 3, 10**10], "M8[s]"), ValueError, "fit 64 bits"),
    "months": (INTS.astype("m8[M]"), TypeError, "a unit with a fixed length"),
    "no unit": (INTS.astype("m8"), TypeError, "a unit with a fixed length"),
    "masked": (np.ma.masked_equal(INTS, 1), ValueError, "found missing ones"),
    "pandas": (pd.array([0, 1, None, 3], "Int64"), ValueError, "found missing ones"),
    "pandas NaT": (pd.to_datetime([0, 1, None, 3]), ValueError, "found missing ones"),
    "pandas arrow": (pd.array([0, None, 2, 3], "int64[pyarrow]"), ValueError, "missing ones"),
    "polars": (pl.Series([0, 1, None, 3]), ValueError, "found missing ones"),
    "pyarrow": (pa.array([0, 1, None, 3]), ValueError, "found missing ones"),
    "pyarrow chunks": (pa.chunked_array([[0], [1, None, 3]]), ValueError, "found missing ones"),
}


@pytest.mark.parametrize("case", BAD_TIMES)
def test_times_are_refused(case: str) -> None:
    times, kind, message = BAD_TIMES[case]
    with Pipeline() as pipeline:
        with pytest.raises(kind, match=f"^times: .*{message}"):
            pipeline.append_accelerations(times, np.zeros((4, 3)))
        assert pipeline.counts.accelerations.received == 0


ZEROS = np.zeros(4, np.float32)
BAD_VALUES: dict[str, tuple[tuple[Any, ...], type[Exception], str]] = {
    "too few": ((INTS, np.zeros((3, 3))), ValueError, "xyz: expected as many as times, 4, found 3"),
    "one column short": ((INTS, ZEROS, ZEROS[1:], ZEROS), ValueError, "y: expected as many"),
    "two columns": ((INTS, np.zeros((4, 2))), ValueError, r"the shape \(n, 3\), found \(4, 2\)"),
    "columns as rows": ((INTS, np.zeros((3, 4))), ValueError, r"\(n, 3\), found \(3, 4\)"),
    "one dimension": ((INTS, np.zeros(12)), ValueError, r"\(n, 3\), found \(12,\)"),
    "a number": ((INTS, 1.0), ValueError, r"\(n, 3\), found \(\)"),
    "numbers": ((INTS, 1.0, 2.0, 3.0), ValueError, "x: expected one dimension, found 0"),
    "a matrix": ((INTS, ZEROS, np.zeros((4, 1)), ZEROS), ValueError, "y: expected one dimension"),
    "objects": ((INTS, np.zeros((4, 3), object)), TypeError, "real numbers, found object"),
    "complex": ((INTS, np.zeros((4, 3), complex)), TypeError, "real numbers, found complex128"),
    "bool": ((INTS, np.zeros((4, 3), bool)), TypeError, "real numbers, found bool"),
    "text": ((INTS, ZEROS, ["a"] * 4, ZEROS), TypeError, "y: expected real numbers, found <U1"),
    "polars text": ((INTS, ZEROS, ZEROS, pl.Series(["a"] * 4)), TypeError, "found String"),
    "three": ((INTS, ZEROS, ZEROS), TypeError, r"\(times, x, y, z\), found 3 arguments"),
    "none": ((), TypeError, "missing 1 required positional argument"),
    "no table": ((3,), TypeError, "expected a data frame, .* found int"),
    "an array": ((np.zeros((4, 3)),), TypeError, "expected a data frame, .* found ndarray"),
    "a list": (([1, 2],), TypeError, "expected a data frame, .* found list"),
    "a column": ((pa.array([1, 2]),), TypeError, "expected a table, found Int64Array"),
    "a series": ((pl.Series([1]),), TypeError, "expected a table, found Series"),
    "lazy": ((pl.LazyFrame({"time": [1]}),), TypeError, r"found a LazyFrame: collect\(\) it"),
    "no time": (({"x": ZEROS},), ValueError, "one column 'time' or 'timestamp' or 't', found 'x'"),
    "two times": (({"time": 1, "timestamp": 2},), ValueError, "found 'time', 'timestamp'"),
    "no z": (({"time": INTS, "x": ZEROS, "y": ZEROS},), ValueError, "one column 'z' or 'az'"),
    "nothing": (({},), ValueError, "found none"),
    "twice": ((pd.DataFrame([[0] * 5], columns=["time", *"xxyz"]),), ValueError, "'x', 'x'"),
    "records": ((np.zeros((2, 2), [("time", "i8")]),), ValueError, "one dimension, found 2"),
}


@pytest.mark.parametrize("case", BAD_VALUES)
def test_values_are_refused(case: str) -> None:
    measurements, kind, message = BAD_VALUES[case]
    with Pipeline() as pipeline:
        with pytest.raises(kind, match=message):
            pipeline.append_accelerations(*measurements)
        assert pipeline.counts.accelerations.received == 0


def test_nothing_is_appended_of_a_batch_that_is_refused(walk: Measurements) -> None:
    good = (walk.times, walk.xyz)
    with Pipeline() as pipeline:
        for bad in ({"fixes": {"time": [0]}}, {"pressures": (walk.times, walk.xyz)}):
            with pytest.raises(ValueError, match="expected one"):
                pipeline.ingest(accelerations=good, **bad)
        assert pipeline.counts.accelerations.received == 0


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.int32, np.uint16])
def test_other_numbers_are_converted(dtype: Any) -> None:
    times = np.arange(300, dtype=np.int32) * 10**7
    xyz = np.zeros((300, 3), dtype)
    xyz[:, 2] = 10
    assert samples(times, xyz) == samples(times.astype(np.int64), xyz.astype(np.float32))


# Fixes and pressures


def fix_columns() -> dict[str, Any]:
    return {
        "time": np.arange(5) * SECOND,
        "latitude": 48 + np.arange(5) * 1e-5,
        "longitude": np.full(5, 11.5),
        "horizontal_accuracy": np.array([5, np.nan, 4, 3, 5.5]),
    }


FIXES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "mapping": lambda c: c,
    "pandas": pd.DataFrame,
    "polars": lambda c: pl.DataFrame(c, nan_to_null=True),
    "pyarrow": lambda c: chunked(pa.table(c), 2, 3),
    "stream": lambda c: Stream(pa.table(c)),
    "datetimes": lambda c: c | {"time": c["time"].astype("M8[ns]")},
}


def test_points_of_geopandas_are_fixes() -> None:
    geopandas = pytest.importorskip("geopandas")
    columns = fix_columns()
    points = geopandas.points_from_xy(columns.pop("longitude"), columns.pop("latitude"))
    times = pd.to_datetime(columns.pop("time"), utc=True)
    frame = geopandas.GeoDataFrame(columns, index=times, geometry=points, crs="EPSG:4326")
    for given in (frame, frame.to_crs("EPSG:32632")):
        (found,) = _tables.fixes(given)
        for name, values in fix_columns().items():
            np.testing.assert_allclose(found[name], values, rtol=1e-12)


@pytest.mark.parametrize("kind", FIXES)
def test_fixes_of_every_table_are_the_same(kind: str) -> None:
    columns = fix_columns()
    rows = np.zeros(5, _layout.FIX)
    for name in _layout.FIX.names or ():
        rows[name] = columns.get(name, np.nan) if name != "time" else columns[name]
    found = np.concatenate(_tables.fixes(FIXES[kind](columns)))
    assert found.dtype == _layout.FIX
    assert found["time"].tolist() == columns["time"].tolist()
    for name in _layout.FIX.names or ():
        assert np.array_equal(found[name], rows[name], equal_nan=name != "time"), name
    with Pipeline() as pipeline:
        pipeline.append_fixes(FIXES[kind](columns))
        pipeline.append_fixes(rows[:0])
        pipeline.finish()
        assert pipeline.fixes()["fix"]["latitude"].tolist() == columns["latitude"].tolist()


def test_array_of_fixes_is_not_copied() -> None:
    rows = np.zeros(8, _layout.FIX)
    (found,) = _tables.fixes(rows)
    assert np.shares_memory(found, rows)
    (copied,) = _tables.fixes(rows[::2])
    assert len(copied) == 4
    assert copied.flags.c_contiguous


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"accuracy": np.zeros(5)}, "of time, .* only, found 'accuracy'"),
        ({"latitude": np.zeros(4)}, r"latitude: expected as many as times, 5, found .*\(4,\)"),
        ({"time": np.arange(5) * 1.0}, "expected integers"),
        ({"timestamp": np.arange(5)}, "found 'time', 'timestamp'"),
    ],
)
def test_fixes_are_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Pipeline().append_fixes(fix_columns() | columns)


def test_pressures_are_taken_from_columns(walk: Measurements) -> None:
    found = []
    pressures = walk.pressures
    for given in (
        (walk.times, pressures),
        (walk.times, strided(pressures, 3)),
        ({"time": walk.times, "pressure": pressures},),
        (pl.DataFrame({"timestamp": walk.times, "hectopascals": pressures}),),
    ):
        with Pipeline() as pipeline:
            pipeline.append_accelerations(walk.times, walk.xyz)
            pipeline.append_pressures(*given)
            pipeline.finish()
            assert pipeline.counts.pressures.kept == len(walk.times)
            found.append(pipeline.save())
    assert len(set(found)) == 1
    with pytest.raises(TypeError, match="append_pressures"):
        Pipeline().append_pressures(walk.times, pressures, pressures)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^pressures: expected \(table\), \(times, values\)"):
        Pipeline().ingest(pressures=(walk.times, pressures, pressures))


# Without libraries


@pytest.mark.parametrize("hidden", [("pyarrow",), ("pyarrow", "polars")])
def test_stream_needs_a_library_that_reads_it(hidden: tuple[str, ...]) -> None:
    program = f"""if True:
        import sys
        for name in {hidden!r}:
            sys.modules[name] = None
        from locomotion import Pipeline
        class Stream:
            def __arrow_c_stream__(self, requested_schema=None):
                import polars
                return polars.DataFrame(dict.fromkeys(
                    ["x", "y", "z"], [0.5, 1.5]) | {{"time": [0, 1]}}).__arrow_c_stream__()
        pipeline = Pipeline()
        pipeline.append_accelerations(Stream())
        pipeline.process()
        print(pipeline.counts.accelerations.received)
    """
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    if len(hidden) == 1:
        assert (found.stdout, found.stderr) == ("2\n", "")
    else:
        assert "ImportError: a Stream is read through Arrow's stream protocol" in found.stderr


def test_stride_is_no_longer_than_the_library_takes() -> None:
    room = np.zeros((2, 3 * (1 << 16) + 3), np.float32)
    (found,) = _tables.measurements("accelerations", (np.arange(2), room[:, :3]))
    assert found.stride == 1
    assert isinstance(found, _tables.Columns)
