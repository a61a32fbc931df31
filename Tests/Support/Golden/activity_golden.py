"""Golden features, computed in Float64 with NumPy and SciPy from the definitions alone.

    numpy==2.4.6 scipy==1.17.1
    python3 activity_golden.py            writes activity_features.csv beside this file

Windows come from formulas and a seeded generator, rounded to 1/1024 m/s², so that the Swift test
makes the very same numbers (`SyntheticMotion.swift`). Row: window, three sums that prove it (in
units of 1/1024), features.
"""

import pathlib

import numpy as np
import scipy.ndimage
import scipy.signal

RATE = 100.0
N = 512
BANDS = [0.2, 0.8, 1.6, 2.4, 3.6, 6, 10, 15, 20]


class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53


# gravity x, y, z; amplitude, frequency in Hz of the swing; tilt in rad/s; noise; spike
WINDOWS = [
    (0.0, 0.0, 9.81, 0.0, 1.0, 0.0, 0.02, 0.0),  # a phone on a table
    (1.0, 9.5, 2.1, 2.5, 1.9, 0.02, 0.6, 0.0),  # walking
    (-8.0, 3.0, 4.5, 9.0, 2.8, 0.05, 2.5, 0.0),  # running
    (6.0, -6.0, 4.9, 1.5, 1.1, 0.1, 1.2, 0.0),  # cycling
    (0.5, 3.3, -9.2, 0.2, 12.3, 0.03, 0.15, 0.0),  # driving
    (0.0, 9.81, 0.0, 0.3, 0.6, 0.6, 0.1, 0.0),  # turning in the hand
    (0.0, 0.0, 9.81, 0.0, 1.0, 0.0, 0.05, 60.0),  # one knock on a quiet phone
    (0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 3.0, 0.0),  # falling, tumbling
    (3.0, 3.0, 8.9, 40.0, 3.1, 0.3, 30.0, 0.0),  # wilder than people
    (2.0, -2.0, 9.4, 0.05, 0.4, 0.01, 0.004, 0.0),  # a boat at anchor
]


def window(index):
    gx, gy, gz, amplitude, frequency, tilt, noise, spike = WINDOWS[index]
    random = SplitMix64(index + 1)
    rows = np.zeros((N, 3))
    for n in range(N):
        t = n / RATE
        swing = amplitude * np.sin(2 * np.pi * frequency * t)
        second = 0.4 * amplitude * np.sin(4 * np.pi * frequency * t + 1.0)
        angle = tilt * t
        y = gy * np.cos(angle) - gz * np.sin(angle)
        z = gy * np.sin(angle) + gz * np.cos(angle)
        values = [gx + 0.5 * swing, y + 0.3 * second, z + swing + second]
        for axis in range(3):
            value = values[axis] + noise * (2 * random.uniform() - 1)
            if n == 300 and axis == 1:
                value += spike
            rows[n, axis] = np.floor(value * 1024 + 0.5) / 1024
    return rows


def log(value, floor):
    return np.log(max(value, floor))


def crossing_rate(c):
    sides = np.where(c > 0.01, 1, np.where(c < -0.01, -1, 0))
    clear = sides[sides != 0]
    return np.sum(clear[1:] != clear[:-1]) * RATE / (N - 1)


def signal_features(s):
    c = s - s.mean()
    f, p = scipy.signal.periodogram(
        s, RATE, window="hann", detrend="constant", scaling="density")
    resolution = RATE / N
    features = [
        log(s.std(), 1e-3),
        log(np.subtract(*np.percentile(s, [75, 25])), 1e-3),
        log(np.sqrt(np.mean((RATE * np.diff(s)) ** 2)), 1e-2),
        crossing_rate(c),
    ]
    for low, high in zip(BANDS, BANDS[1:]):
        features.append(log(p[(f >= low) & (f < high)].sum() * resolution, 1e-6))
    inside = (f >= 0.4) & (f < 20)
    power = p[inside] * resolution
    total = max(power.sum(), 1e-6)
    features.append((f[inside] * power).sum() / total)
    share = power[power > 0] / total
    features.append(-(share * np.log(share)).sum() / np.log(inside.sum()))
    features.append(log(p[(f >= 0.5) & (f < 5)].max(), 1e-6))
    half = c.reshape(-1, 2).mean(axis=1)
    count = len(half)
    full = np.correlate(half, half, "full")[count - 1:]
    variance = full[0] / count
    shares = [power - 2 * features[0] for power in features[4:12]]
    lags = np.arange(13, 101)
    unbiased = full[lags] / (count - lags)
    if variance < 1e-6:
        return features + [0.0, 0.0] + shares
    return features + [unbiased.max() / variance, lags[unbiased.argmax()] * 2 / RATE] + shares


def angle(p, q):
    return np.arctan2(np.linalg.norm(np.cross(p, q)), p @ q)


def features(raw):
    taps = scipy.signal.firwin(21, 20, window="hamming", fs=RATE)
    a = scipy.ndimage.convolve1d(raw, taps, axis=0, mode="mirror")
    mean = a.mean(axis=0)
    g = np.linalg.norm(mean)
    e = a - mean
    up = mean / g if g > 1e-3 * np.sqrt((e**2).sum(axis=1).mean()) else np.zeros(3)
    norm = np.linalg.norm(a, axis=1)
    m = norm - norm.mean()
    v = e @ up
    h = np.linalg.norm(e - np.outer(v, up), axis=1)
    result = signal_features(m) + signal_features(v) + signal_features(h)

    third, second, first = np.linalg.eigvalsh(e.T @ e / N)
    first = max(first, 1e-6)
    result += [max(second, 0) / first, max(third, 0) / first, np.log(first)]
    j = RATE * np.linalg.norm(np.diff(a, axis=0), axis=1)
    scale = max(j.mean(), 1e-2)
    result += [np.log(scale), j.std() / scale, np.percentile(j, 95) / scale]
    result += [log(h.mean(), 1e-3), log(np.linalg.norm(e, axis=1).mean(), 1e-3)]
    q = a.reshape(4, N // 4, 3).mean(axis=1)
    turns = [angle(q[0], q[1]), angle(q[1], q[2]), angle(q[2], q[3])]
    result += [log(np.mean(turns), 1e-3), log(angle(q[0], q[3]), 1e-3)]
    deviations = np.maximum(m.reshape(4, N // 4).std(axis=1), 1e-3)
    result += [norm.mean() - g, np.log(deviations.max() / deviations.min())]
    return result


def main():
    lines = ["# " + __doc__.splitlines()[0]]
    for index in range(len(WINDOWS)):
        raw = window(index)
        sums = (raw * 1024).sum(axis=0).astype(int)
        numbers = [index, *sums, *(f"{value:.12g}" for value in features(raw))]
        lines.append(",".join(str(number) for number in numbers))
    path = pathlib.Path(__file__).with_name("activity_features.csv")
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
