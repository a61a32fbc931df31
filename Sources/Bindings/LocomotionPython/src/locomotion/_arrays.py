"""Times and values of callers as the arrays of the C interface, without a copy where they are."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Times: TypeAlias = npt.NDArray[np.int64]
Values: TypeAlias = npt.NDArray[np.float32]

#: The longest stride that the library takes, in elements.
_LONGEST_STRIDE = 1 << 16
_EXPECTED_TIMES = "expected integers (nanoseconds), datetime64 or timedelta64"


@dataclass(frozen=True)
class Columns:
    """Times and values of the same length, the values with one stride, in elements."""

    times: Times
    values: tuple[Values, ...]
    stride: int

    def __len__(self) -> int:
        return len(self.times)


def columns(times: Any, values: tuple[Any, ...], names: tuple[str, ...]) -> Columns:
    """Return one-dimensional arrays as the library takes them.

    Parameters
    ----------
    times : array_like
        Times, (n,).
    values : tuple of array_like
        The values, (n,) each.
    names : tuple of str
        What the values are called in errors.

    Raises
    ------
    TypeError
        A type that is no time or no real number.
    ValueError
        Another shape or length, or an unknown time.
    """
    arrays = tuple(as_values(array, name) for array, name in zip(values, names, strict=True))
    return _columns(as_times(times), arrays, names)


def _columns(
    nanoseconds: Times, arrays: tuple[Values, ...], names: tuple[str, ...]
) -> Columns:
    """Return times and values of float32 with the same stride."""
    for array, name in zip(arrays, names, strict=True):
        if array.ndim != 1:
            raise ValueError(f"{name}: expected one dimension, found {array.ndim}")
        if len(array) != len(nanoseconds):
            raise ValueError(
                f"{name}: expected as many as times, {len(nanoseconds)}, found {len(array)}"
            )
    strides = {array.strides[0] for array in arrays}
    if len(nanoseconds) < 2:
        # NumPy leaves the stride of one element undefined.
        return Columns(nanoseconds, arrays, 1)
    if len(strides) == 1:
        stride, rest = divmod(strides.pop(), arrays[0].itemsize)
        if rest == 0 and 1 <= stride <= _LONGEST_STRIDE:
            return Columns(nanoseconds, arrays, stride)
    return Columns(nanoseconds, tuple(np.ascontiguousarray(array) for array in arrays), 1)


def axes(times: Any, xyz: Any) -> Columns:
    """Return times (n,) and vectors (n, 3) as the library takes them; errors as `columns`."""
    vectors = as_values(xyz, "xyz")
    if vectors.ndim != 2 or vectors.shape[1] != 3:
        raise ValueError(f"xyz: expected the shape (n, 3), found {vectors.shape}")
    return _columns(
        as_times(times), (vectors[:, 0], vectors[:, 1], vectors[:, 2]), ("xyz",) * 3
    )


def as_times(times: Any) -> Times:
    """Return times as contiguous nanoseconds, which is what they were given as if possible.

    Integers are nanoseconds; datetime64 and timedelta64 of every unit are converted, what is
    finer than a nanosecond rounded down.
    """
    array = as_array(times)
    if _has_missing(times):
        raise ValueError("times: expected times only, found missing ones")
    if array.ndim != 1:
        raise ValueError(f"times: expected one dimension, found {array.ndim}")
    if array.size == 0 and not isinstance(times, np.ndarray):
        # An empty list has no type, and NumPy makes it float64.
        return np.empty(0, np.int64)
    if isinstance(array, np.ma.MaskedArray):
        array = array.data
    kind = array.dtype.kind
    if kind in "mM":
        return _nanoseconds(array)
    if kind == "u" and array.size > 0 and array.max() > np.iinfo(np.int64).max:
        raise ValueError(f"times: expected at most 2^63 - 1, found {array.max()}")
    if kind not in "iu":
        hint = "; seconds are np.rint(seconds * 1e9).astype(np.int64)" if kind == "f" else ""
        raise TypeError(f"times: {_EXPECTED_TIMES}, found {array.dtype}{hint}")
    return _native(array, np.dtype(np.int64))


def _has_missing(times: Any) -> bool:
    """Return whether a column has missing values that its array may not show."""
    if isinstance(times, np.ndarray):
        return isinstance(times, np.ma.MaskedArray) and bool(np.ma.getmaskarray(times).any())
    count = getattr(times, "null_count", None)  # of pyarrow; of polars a method
    if count is not None:
        return bool(count() if callable(count) else count)
    return hasattr(times, "isna") and bool(np.any(times.isna()))


def _nanoseconds(array: npt.NDArray[Any]) -> Times:
    """Return datetime64 or timedelta64 as nanoseconds."""
    if np.isnat(array).any():
        raise ValueError("times: expected times only, found missing ones")
    unit = np.datetime_data(array.dtype)
    if unit[0] == "generic" or (array.dtype.kind == "m" and unit[0] in "YM"):
        raise TypeError(f"times: expected a unit with a fixed length, found {array.dtype}")
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    target = np.dtype(f"{array.dtype.kind}8[ns]")
    if native.size > 0 and native.dtype != target:
        # The conversion of NumPy wraps around in silence; it is monotonic where it does not.
        ends = np.array([native.min(), native.max()])
        try:
            wraps = not np.array_equal(ends.astype(target).astype(ends.dtype), ends)
        except OverflowError:
            wraps = True
        if wraps and unit[0] not in ("ps", "fs", "as"):
            raise ValueError("times: expected times that fit 64 bits of nanoseconds")
    # A view: the bytes of datetime64[ns] are those of int64.
    return np.ascontiguousarray(native.astype(target, copy=False)).view(np.int64)


def as_values(values: Any, name: str, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
    """Return real numbers as `dtype`; masked ones are NaN, what is too large is infinite."""
    array = as_array(values)
    if array.size == 0 and not isinstance(values, np.ndarray):
        # A column without rows may have no type.
        return np.empty(array.shape, dtype)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name}: expected real numbers, found {array.dtype}")
    target = np.dtype(dtype)
    if isinstance(array, np.ma.MaskedArray):
        masked = np.ma.getmaskarray(array)
        with np.errstate(over="ignore"):
            array = np.array(array.data, target)
        array[masked] = np.nan
    return _native(array, target, is_contiguous=False)


def _native(
    array: npt.NDArray[Any], target: np.dtype[Any], *, is_contiguous: bool = True
) -> npt.NDArray[Any]:
    """Return an array of the type `target`, aligned and in the machine's byte order."""
    found = np.asarray(array)
    if found.dtype != target:
        with np.errstate(over="ignore"):
            found = found.astype(target)
    if not found.flags.aligned:
        found = found.copy()
    return np.ascontiguousarray(found) if is_contiguous else found


def as_array(values: Any) -> npt.NDArray[Any]:
    """Return a NumPy array, or a column of pandas, polars or pyarrow as one.

    Missing numbers are NaN.
    """
    if isinstance(values, np.ndarray):
        # A matrix would keep two dimensions in every slice.
        return values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
    for module, convert in (("pandas", _pandas), ("polars", _polars), ("pyarrow", _pyarrow)):
        # Who has a column of a library has imported it.
        library = sys.modules.get(module)
        if library is not None:
            found = convert(library, values)
            if found is not None:
                return found
    return np.asarray(values)


def _pandas(pandas: Any, values: Any) -> npt.NDArray[Any] | None:
    """Return a Series, Index or extension array of pandas as an array; None for anything else."""
    if not isinstance(values, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
        return None
    if isinstance(values.dtype, pandas.DatetimeTZDtype):
        # to_numpy would make an object of each time.
        series = values.array if hasattr(values, "array") else values
        return np.asarray(series.tz_convert(None))
    if isinstance(values.dtype, pandas.ArrowDtype):
        pyarrow = sys.modules["pyarrow"]
        return _pyarrow(pyarrow, pyarrow.array(getattr(values, "array", values)))
    if values.dtype.kind in "iuf" and hasattr(values.dtype, "numpy_dtype"):
        # A nullable type: missing integers have no value of their own.
        has_missing = values.isna().any()
        target = np.float64 if has_missing else values.dtype.numpy_dtype
        return np.asarray(values.to_numpy(target, **({"na_value": np.nan} if has_missing else {})))
    return np.asarray(values.to_numpy())


def _polars(polars: Any, values: Any) -> npt.NDArray[Any] | None:
    """Return a Series of polars as an array; None for anything else."""
    if not isinstance(values, polars.Series):
        return None
    if len(values) > 0 and not (values.dtype.is_numeric() or values.dtype.is_temporal()):
        raise TypeError(f"{values.name}: expected numbers or times, found {values.dtype}")
    return np.asarray(values.to_numpy())


def _pyarrow(pyarrow: Any, values: Any) -> npt.NDArray[Any] | None:
    """Return an array of pyarrow, chunked or not, as an array; None for anything else."""
    if isinstance(values, pyarrow.ChunkedArray):
        return np.asarray(values.to_numpy())
    if not isinstance(values, pyarrow.Array):
        return None
    return np.asarray(values.to_numpy(zero_copy_only=False))
