"""Step cadence, once per second of a walk: the package's method in NumPy, and other methods.

Usage: cadence.py FOLDER, the folder that `benchmark --write-inputs` has written.

A participant whose name ends in "recording" takes in the whole walk at once, offline; the others
answer after each second from the newest window, as a phone has to.
"""

import pathlib
import sys

import numpy as np

import turns

RATE = 100
FOLDER = pathlib.Path(sys.argv[1])
# A few seconds represent the whole walk: slow methods must not take minutes.
SECONDS = range(20, 280, 13)


def walk():
    """Samples x axes."""
    return np.load(FOLDER / "walk.npy")


def windows_that_end(samples, seconds, length):
    return [samples[(second - length) * RATE:second * RATE] for second in seconds]


def check(found, tolerance):
    """Compares with the package's answers; half of them must be near."""
    expected = np.load(FOLDER / "cadences.npy")[[second - 6 for second in SECONDS]]
    error = np.nanmedian(np.abs(np.asarray(found, float) - expected))
    if not error < tolerance:
        raise ValueError(f"off by {error:.1f} steps per minute in the median")


class NumPyCadence:
    """The package's estimator on one window of six seconds after the other: spectra, combs, log
    odds of each of 192 rates, a forward filter over them, and the rate refined on its lines."""

    COUNT, BINS, FIRST, END = 192, 128, 5, 103
    WIDTH = 50 / 512

    def __init__(self):
        import scipy.fft

        self.fft = scipy.fft
        self.halfband = np.array([-1, 0, 9, 16, 9, 0, -1], np.float32) / 32
        self.count = (6 * RATE - 7) // 2 + 1
        self.taper = np.hanning(self.count + 2)[1:-1].astype(np.float32)
        self.log_rates = np.log(38) + 0.01 * np.arange(self.COUNT)
        self.frequencies = np.exp(self.log_rates) / 60
        whole, halves = np.arange(1, 7), np.arange(0.5, 6)
        self.combs = np.stack([
            self.comb([whole], 1), self.comb([halves], 0.5), self.comb([[1]], np.inf),
            self.comb([[2, 4, 6]], 1), self.comb([[3, 5]], 1)])
        self.chances = self.combs[:2].mean(2)
        self.slowness = 1 / (1 + np.exp((self.frequencies - 0.9) / 0.06))
        distance = np.subtract.outer(np.arange(self.COUNT), np.arange(self.COUNT)) * 0.01
        kernel = np.exp(-0.5 * (distance / 0.025) ** 2) * (np.abs(distance) < 0.105)
        self.wander = (0.98 * 0.99 * 0.01 / (0.025 * np.sqrt(2 * np.pi)) * kernel).astype("f4")
        self.rates = np.full(self.COUNT, 0.2 / self.COUNT, np.float32)
        self.idle = 0.8

    def comb(self, groups, spacing):
        """One row of teeth per rate, scaled so that a line of amplitude A adds A squared."""
        bins = np.arange(self.BINS) * self.WIDTH
        fine = np.arange(-0.3, 0.3, self.WIDTH / 8)
        duration = self.count / 50
        lobe = np.sinc(fine * duration) / (1 - (fine * duration) ** 2 + 1e-9)
        rows = np.zeros((self.COUNT, self.BINS), np.float32)
        for row, frequency in zip(rows, self.frequencies):
            reach = min(0.3, 0.3 * spacing * frequency)

            def tooth(distance):
                return np.where(np.abs(distance) < reach,
                                np.cos(np.pi / 2 * distance / reach) ** 2, 0)

            gain = np.sum(tooth(fine) * lobe**2) / 8
            for group in groups:
                lines = [tooth(bins - k * frequency) for k in group if k * frequency <= 9]
                row += np.max([np.zeros(self.BINS), *lines], axis=0) / gain
        return rows[:, self.FIRST:self.END].copy()

    def spectra(self, window):
        norm = np.sqrt(np.einsum("ni,ni->n", window, window))
        lanes = np.column_stack([window, norm]).T
        pieces = np.lib.stride_tricks.sliding_window_view(lanes, 7, axis=1)[:, ::2]
        halved = pieces @ self.halfband
        mean = halved.mean(1, keepdims=True)
        up = mean[:3, 0] / np.linalg.norm(mean[:3])
        centred = halved - mean
        vertical = up @ centred[:3]
        level = centred[:3] - np.outer(up, vertical)
        signals = np.vstack([centred[3:], vertical, level]) * self.taper
        transform = self.fft.rfft(signals, 512)[:, :self.BINS]
        powers = (transform.real**2 + transform.imag**2) * (4 / self.taper.sum() ** 2)
        norm = centred[3]
        skewness = np.mean(norm**3) / np.mean(norm**2) ** 1.5
        return 0.5 * (powers[0] + powers[1]), powers[2:].sum(0), skewness

    def log_odds(self, step, skewness):
        step = step[self.FIRST:self.END]
        total = step.sum()
        lobes = 512 * np.sum(self.taper**2) / self.taper.sum() ** 2
        intensity = 0.5 * np.log(max(total / lobes, 1e-8))
        high = min(max(np.log(max(step[33 - self.FIRST:].sum() / total, 1e-4)), -1.8), -0.5)
        skew = min(max(skewness, -1), 0.5)
        every, between, first, even, odd = self.combs @ step
        share = 1.5 * 512 / 297 * (np.stack([every, between]) / total - self.chances)

        def normal(x, y):
            return np.exp(-0.5 * (x * x + y * y))

        rate = self.log_rates
        walks = intensity - 1.335 - 2 * (rate - 4.682)
        runs = intensity - 2.708 - rate + 5.088
        on_foot = np.log(
            0.88 * (0.91 / 0.132 * normal((rate - 4.654) / 0.22, walks / 0.6)
                    + 0.09 / 0.245 * normal((rate - 4.317) / 0.35, walks / 0.7))
            + 0.12 * (0.8 / 0.036 * normal((rate - 5.094) / 0.09, runs / 0.4)
                      + 0.2 / 0.06 * normal((rate - 5.3) / 0.12, runs / 0.5)) + 1e-30)
        off_foot = np.log(0.7 / 1.6 * normal((intensity + 1.897) / 1.6, 0)
                          + 0.3 / 0.8 * normal((intensity - 0.693) / 0.8, 0) + 1e-30)
        first = np.maximum(first, 1e-8)
        rise = np.log(np.sqrt(first) / (2 * np.pi * self.frequencies) ** 2)
        look = 3.066 * high + 5.942 * skew
        slow = -3.565 + 0.602 * high + 4.003 * skew
        odds = (-6.559 + look + (slow - look) * self.slowness
                + 22.637 * share[0] + 11.591 * share[1]
                + 0.315 * np.maximum(on_foot - off_foot, -12))
        for bend, slope in ((0.003, 1.691), (0.01, 0.373), (0.02, -1.854), (0.035, -7.035)):
            odds += slope * np.maximum(rise - np.log(bend), 0)
        odds -= 7.5 * np.minimum(np.maximum(np.log(0.0025) - rise, 0) ** 2, 4)
        weakness = np.log((first + even + odd) / first)
        odds -= 0.944 * np.maximum(weakness - 0.7, 0) + 0.474 * np.maximum(weakness - 1.5, 0)
        known = np.maximum(even, 1e-30)
        doubt = np.clip(np.log(known / (3 * odd + 0.02 * known)), 0, 3)
        return odds - np.where(even > first, 0.825 * doubt, 0)

    def filter(self, log_odds):
        stepping = self.rates.sum()
        predicted = (self.wander @ self.rates
                     + (0.98 * 0.01 * stepping + 0.02 * self.idle) / self.COUNT)
        idle = 0.02 * stepping + 0.98 * self.idle
        self.rates = predicted * np.exp(np.clip(log_odds, -15, 15))
        total = self.rates.sum() + idle
        self.rates, self.idle = self.rates / total, idle / total
        return np.convolve(self.rates, np.ones(11), "same").argmax()

    def refined(self, rate, step, stride):
        """The sum over the lines, by parabolas through the nearest bins' roots, at 49 rates."""
        candidates = self.frequencies[rate] * (1 + 0.0025 * np.arange(-24, 25))

        def power(spectrum, multiples):
            position = np.outer(candidates, multiples) / self.WIDTH
            bins = np.rint(position).astype(int)
            d = position - bins
            low, middle, high = spectrum[bins - 1], spectrum[bins], spectrum[bins + 1]
            slope, bend = 0.5 * (high - low), 0.5 * (high - 2 * middle + low)
            return np.square(middle + d * (slope + d * bend)).sum(1)

        sums = power(np.sqrt(step), [1, 2, 3, 4]) + power(np.sqrt(stride), [0.5, 1.5])
        best = min(max(sums.argmax(), 1), 47)
        low, middle, high = sums[best - 1:best + 2]
        return candidates[best] * (1 + 0.00125 * (low - high) / (low - 2 * middle + high))

    def __call__(self, window):
        step, stride, skewness = self.spectra(window)
        rate = self.filter(self.log_odds(step, skewness))
        return 60 * self.refined(rate, step, stride)


def with_numpy():
    windows = windows_that_end(walk(), SECONDS, 6)
    estimate = NumPyCadence()
    estimate(windows[0])
    check([estimate(window) for window in windows], 0.5)
    return lambda: [estimate(window) for window in windows], len(windows)


class Oak:
    """The method of Straczkiewicz et al., "A 'one-size-fits-most' walking recognition method for
    smartphones, smartwatches, and wearable accelerometers", npj Digit. Med. 6, 2023: 10 Hz, and
    per second the dominant ridge of a synchrosqueezed wavelet transform."""

    def __init__(self):
        from scipy import interpolate, signal
        from ssqueezepy import ssq_cwt

        self.ssq_cwt, self.find_peaks = ssq_cwt, signal.find_peaks
        self.tukey, self.grid = signal.windows.tukey, interpolate.RegularGridInterpolator
        self.frequencies = np.arange(0.5, 4.5, 0.05)
        self.band = np.searchsorted(self.frequencies, [1.4 - 0.025, 2.3 - 0.025])

    def __call__(self, samples):
        """Steps per minute in each second; 0 where there are none."""
        times = np.arange(len(samples)) / RATE
        coarse = np.arange(0, len(samples) // RATE * 10) / 10
        axes = [np.interp(coarse, times, axis) / 9.80665 for axis in samples.T]
        norm = np.sqrt(np.sum(np.square(axes), axis=0)) - 1
        lively = np.ptp(norm.reshape(-1, 10), axis=1) >= 0.3
        rates = np.zeros(len(lively))
        if lively.sum() >= 3:
            powers = self.powers(norm[np.repeat(lively, 10)])
            rates[lively] = [self.dominant(power) for power in powers]
        return 60 * self.lasting(rates)

    def powers(self, norm):
        """The wavelet power of each second by frequency."""
        padded = np.pad(norm * self.tukey(len(norm), 0.02), 50)
        transform, _, frequencies, *_ = self.ssq_cwt(
            padded[:-1], ("gmw", {"beta": 90, "gamma": 3}), fs=10)
        power = np.abs(np.column_stack([transform, transform[:, -1]]).astype(complex) ** 2)
        columns = np.arange(power.shape[1])
        lattice = np.meshgrid(self.frequencies, columns, indexing="ij")
        fine = self.grid((frequencies, columns), power)(tuple(lattice))[:, 50:-50]
        return fine.reshape(len(fine), -1, 10).sum(2).T

    def dominant(self, power):
        peaks, _ = self.find_peaks(power)
        peaks = peaks[np.argsort(-power[peaks])]
        inside = peaks[(peaks >= self.band[0]) & (peaks <= self.band[1])]
        if len(inside) == 0:
            return 0
        ratio = power[peaks[0]] / power[inside[0]]
        is_loud = ratio < (2.5 if peaks[0] > self.band[1] else 0.6)
        return self.frequencies[inside[0]] if peaks[0] == inside[0] or is_loud else 0

    @staticmethod
    def lasting(rates):
        """The rates that belong to three seconds or more without a jump by over 1 Hz."""
        joined = (rates[1:] > 0) & (rates[:-1] > 0) & (np.abs(np.diff(rates)) <= 1)
        triples = np.r_[False, False, joined[1:] & joined[:-1], False, False]
        return np.where(triples[:-2] | triples[1:-1] | triples[2:], rates, 0)


def with_oak():
    windows = windows_that_end(walk().astype(float), SECONDS, 10)
    oak = Oak()
    check([oak(window)[4] for window in windows], 4)
    return lambda: [oak(window) for window in windows], len(windows)


def with_oak_recording():
    samples, oak = walk().astype(float), Oak()
    return lambda: oak(samples), len(samples) // RATE


class Mobgap:
    """Initial contacts by Ionescu's method and the cadence between them, as the library has it.

    The library wants the vertical of a sensor on the lower back; it gets the mean specific force.
    """

    def __init__(self):
        import pandas
        from mobgap.cadence import CadFromIc
        from mobgap.initial_contacts import IcdIonescu

        self.table, self.contacts, self.cadence = pandas.DataFrame, IcdIonescu(), CadFromIc()

    def __call__(self, samples):
        mean = samples.mean(0)
        data = self.table({"acc_is": samples @ (mean / np.linalg.norm(mean))})
        contacts = self.contacts.clone().detect(data, sampling_rate_hz=RATE).ic_list_
        cadence = self.cadence.clone().calculate(
            data, initial_contacts=contacts, sampling_rate_hz=RATE)
        return cadence.cadence_per_sec_["cadence_spm"].to_numpy()


def with_mobgap():
    windows = windows_that_end(walk().astype(float), SECONDS, 10)
    mobgap = Mobgap()
    check([np.nanmedian(mobgap(window)) for window in windows], 10)
    return lambda: [mobgap(window) for window in windows], len(windows)


def with_mobgap_recording():
    samples, mobgap = walk().astype(float), Mobgap()
    return lambda: mobgap(samples), len(samples) // RATE


turns.take({
    "numpy": with_numpy, "oak": with_oak, "oak recording": with_oak_recording,
    "mobgap": with_mobgap, "mobgap recording": with_mobgap_recording})
