"""Features of windows of 5.12 s: the package's own in NumPy, and other libraries' sets.

Usage: features.py FOLDER, the folder that `benchmark --write-inputs` has written.
"""

import pathlib
import sys

import numpy as np

import turns

RATE, LENGTH = 100.0, 512
# Thirty-two windows fit the cache, and their arrays stay below the allocator's threshold for mmap.
BATCHES = 8
BANDS = [0.2, 0.8, 1.6, 2.4, 3.6, 6, 10, 15, 20]
FOLDER = pathlib.Path(sys.argv[1])


def windows():
    """Windows x samples x axes."""
    return np.load(FOLDER / "windows.npy")


class NumPyFeatures:
    """The 87 features of many windows at once; `Tests/Support/Golden/activity_golden.py` defines each for
    one window.

    Written for speed: samples last, so that loops run along memory; quantiles by np.sort, which is
    vectorised where np.percentile's selection is not; single precision, as the package.
    """

    def __init__(self):
        import scipy.fft
        import scipy.ndimage
        import scipy.signal

        self.fft, self.ndimage = scipy.fft, scipy.ndimage
        self.taps = scipy.signal.firwin(21, 20, window="hamming", fs=RATE)
        self.hann = scipy.signal.windows.hann(LENGTH, sym=False).astype(np.float32)
        frequencies = np.fft.rfftfreq(LENGTH, 1 / RATE)
        self.edges = np.searchsorted(frequencies, BANDS)
        self.broad = slice(*np.searchsorted(frequencies, [0.4, 20]))
        self.steps = slice(*np.searchsorted(frequencies, [0.5, 5]))
        self.frequencies = frequencies[self.broad].astype(np.float32)
        self.lags = np.arange(13, 101)
        self.overlaps = (LENGTH // 2 - self.lags).astype(np.float32)

    @staticmethod
    def quantile(ordered, probability):
        position = probability * (ordered.shape[-1] - 1)
        below = int(position)
        low, high = ordered[:, below], ordered[:, below + 1]
        return low + np.float32(position - below) * (high - low)

    @staticmethod
    def crossings(c):
        """Changes between the values above 0.01 and those below -0.01, row by row."""
        sides = (c > 0.01).view(np.int8) - (c < -0.01).view(np.int8)
        places = np.flatnonzero(sides)
        clear, rows = sides.ravel()[places], places // LENGTH
        changes = (clear[1:] != clear[:-1]) & (rows[1:] == rows[:-1])
        return np.bincount(rows[1:][changes], minlength=len(c))

    def of_signals(self, c):
        """The 25 features of each row of `c`, whose mean is 0."""
        variance = np.einsum("ij,ij->i", c, c) / LENGTH
        ordered = np.sort(c, axis=-1)
        spread = self.quantile(ordered, 0.75) - self.quantile(ordered, 0.25)
        difference = np.diff(c)
        jerk = RATE * np.sqrt(np.einsum("ij,ij->i", difference, difference) / (LENGTH - 1))

        spectrum = self.fft.rfft(c * self.hann)[:, :self.edges[-1] + 1]
        power = spectrum.real**2 + spectrum.imag**2
        power *= 2 / (LENGTH * np.sum(self.hann**2, dtype=float))
        bands = np.add.reduceat(power, self.edges, axis=-1)[:, :-1]
        peak = power[:, self.steps].max(-1) * (LENGTH / RATE)
        power = power[:, self.broad]
        total = np.maximum(power.sum(-1), 1e-6)
        share = np.maximum(power / total[:, None], 1e-30)
        entropy = -np.einsum("ij,ij->i", share, np.log(share)) / np.log(power.shape[-1])

        half = 0.5 * (c[:, ::2] + c[:, 1::2])
        transform = self.fft.rfft(half, LENGTH)
        products = self.fft.irfft(transform.real**2 + transform.imag**2, LENGTH)
        energy = products[:, 0] / half.shape[-1]
        unbiased = products[:, self.lags[0]:self.lags[-1] + 1] / self.overlaps
        best = unbiased.argmax(-1)
        still = energy < 1e-6
        height = unbiased[np.arange(len(c)), best] / np.where(still, 1, energy)
        deviation = np.log(np.maximum(np.sqrt(variance), 1e-3))
        powers = np.log(np.maximum(bands, 1e-6))
        return np.column_stack([
            deviation,
            np.log(np.maximum(spread, 1e-3)),
            np.log(np.maximum(jerk, 1e-2)),
            self.crossings(c) * (RATE / (LENGTH - 1)),
            powers,
            power @ self.frequencies / total,
            entropy,
            np.log(np.maximum(peak, 1e-6)),
            np.where(still, 0, height),
            np.where(still, 0, self.lags[best] * (2 / RATE)),
            powers - 2 * deviation[:, None],
        ])

    @staticmethod
    def length(vectors):
        """The norms of vectors whose axes are the second dimension."""
        return np.sqrt(np.einsum("win,win->wn", vectors, vectors))

    def __call__(self, raw):
        """The features of `raw`, windows x axes x samples: windows x features."""
        count = len(raw)
        # The mean apart: single precision then rounds the motion, not gravity.
        centre = raw.mean(-1, keepdims=True)
        a = self.ndimage.convolve1d(raw - centre, self.taps, axis=-1, mode="mirror")
        rest = a.mean(-1, keepdims=True)
        mean = (centre + rest)[..., 0]
        e = a - rest
        gravity = np.linalg.norm(mean, axis=-1)
        covariance = e @ e.transpose(0, 2, 1) / LENGTH
        spread = np.sqrt(np.trace(covariance, axis1=1, axis2=2))
        up = mean / np.where(gravity > 1e-3 * spread, gravity, np.inf)[:, None]
        norm = self.length(e + mean[..., None])
        excess = norm.mean(-1)
        m = norm - excess[:, None]
        v = (up[:, None] @ e)[:, 0]
        h = self.length(e - up[..., None] * v[:, None])
        level = h.mean(-1)
        signals = self.of_signals(np.concatenate([m, v, h - level[:, None]]))

        third, second, first = np.linalg.eigvalsh(covariance).T
        first = np.maximum(first, 1e-6)
        j = RATE * self.length(np.diff(e))
        jerk = np.maximum(j.mean(-1), 1e-2)
        quarters = mean[:, None] + e.reshape(count, 3, 4, -1).mean(-1).transpose(0, 2, 1)
        before, after = quarters[:, [0, 1, 2, 0]], quarters[:, [1, 2, 3, 3]]
        # The difference has more digits than the second vector.
        across = np.linalg.norm(np.cross(before, after - before), axis=-1)
        angles = np.arctan2(across, np.einsum("wqi,wqi->wq", before, after))
        parts = m.reshape(count, 4, -1)
        deviations = np.maximum(parts.std(-1), 1e-3)
        return np.column_stack([
            *np.split(signals, 3),
            np.maximum(second, 0) / first,
            np.maximum(third, 0) / first,
            np.log(first),
            np.log(jerk),
            j.std(-1) / jerk,
            self.quantile(np.sort(j, axis=-1), 0.95) / jerk,
            np.log(np.maximum(level, 1e-3)),
            np.log(np.maximum(self.length(e).mean(-1), 1e-3)),
            np.log(np.maximum(angles[:, :3].mean(-1), 1e-3)),
            np.log(np.maximum(angles[:, 3], 1e-3)),
            excess - gravity,
            np.log(deviations.max(-1) / deviations.min(-1)),
        ])


def with_numpy():
    """The same features; refused when they are not the same numbers."""
    compute, raw = NumPyFeatures(), np.ascontiguousarray(windows().transpose(0, 2, 1))
    batches = np.array_split(raw, BATCHES)
    found = np.concatenate([compute(batch) for batch in batches])
    expected = np.load(FOLDER / "features.npy")
    worst = np.max(np.abs(found - expected) / np.maximum(1, np.abs(expected)))
    if not worst < 1e-4:
        raise ValueError(f"the features differ by {worst:.1e} of their size")

    def work():
        for batch in batches:
            compute(batch)

    return work, len(raw)


def with_skdh():
    """Sixteen features of each axis, of the same kinds: moments, spread, jerk, spectrum, period."""
    from skdh import features as skdh

    raw = windows().astype(float)
    bank = skdh.Bank()
    bank.add([
        skdh.Mean(), skdh.StdDev(), skdh.Skewness(), skdh.Kurtosis(), skdh.Range(), skdh.IQR(),
        skdh.RMS(), skdh.MeanCrossRate(), skdh.Autocorrelation(), skdh.JerkMetric(),
        skdh.LinearSlope(), skdh.DominantFrequency(), skdh.DominantFrequencyValue(),
        skdh.PowerSpectralSum(), skdh.SpectralEntropy(), skdh.SpectralFlatness(),
    ])
    return lambda: bank.compute(raw, fs=RATE, axis=1), len(raw)


def with_tsfel():
    """All domains, as the library's first example does; a few windows, for it is slow."""
    import pandas
    import tsfel

    some = windows()[::64].astype(float)
    tables = [pandas.DataFrame(window, columns=list("xyz")) for window in some]
    domains = tsfel.get_features_by_domain()

    def work():
        for table in tables:
            tsfel.time_series_features_extractor(domains, table, fs=RATE, verbose=0)

    return work, len(tables)


def with_tsfresh():
    """The minimal set, ten features of each axis, all windows in one call."""
    import pandas
    from tsfresh import extract_features
    from tsfresh.feature_extraction import MinimalFCParameters

    raw = windows().astype(float)
    table = pandas.DataFrame(raw.reshape(-1, 3), columns=list("xyz"))
    table["window"] = np.repeat(np.arange(len(raw)), LENGTH)

    def work():
        extract_features(
            table, column_id="window", default_fc_parameters=MinimalFCParameters(), n_jobs=0,
            disable_progressbar=True)

    return work, len(raw)


turns.take({
    "numpy": with_numpy, "skdh": with_skdh, "tsfel": with_tsfel, "tsfresh": with_tsfresh})
