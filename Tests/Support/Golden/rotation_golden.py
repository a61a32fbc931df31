"""Golden rotation features, computed in Float64 with NumPy from the definitions alone.

    numpy==2.4.6 scipy==1.17.1 (for the import of the accelerations' script)
    python3 rotation_golden.py            writes rotation_features.csv beside this file

Accelerations are those of `activity_golden.py`, rates come from formulas and a seeded generator,
rounded to 1/4096 rad/s, so that the Swift test makes the very same numbers
(`SyntheticMotion.swift`). Row: window, three sums of the rates that prove it (in units of
1/4096), features.
"""

import pathlib

import numpy as np

from activity_golden import N, RATE, SplitMix64, window

BANDS = [0.15, 0.5, 1, 1.5, 2.2, 3, 4.5, 7, 11, 20]

# bias x, y, z in rad/s; amplitude in rad/s, frequency in Hz of the swing; noise in rad/s
ROTATIONS = [
    (0.01, -0.02, 0.005, 0.0, 1.0, 0.004),  # a phone on a table
    (0.0, 0.03, 0.0, 1.5, 0.95, 0.4),  # walking
    (0.1, 0.0, -0.1, 4.0, 1.4, 1.5),  # running
    (0.0, 0.0, 0.0, 1.0, 1.1, 0.2),  # cycling
    (0.02, 0.02, 0.02, 0.05, 0.3, 0.05),  # driving
    (0.6, 0.0, 0.0, 0.8, 0.2, 0.05),  # turning in the hand
    (0.0, 0.0, 0.0, 0.0, 1.0, 0.0),  # a gyroscope that says nothing
    (2.0, -3.0, 1.0, 9.0, 0.7, 4.0),  # falling, tumbling
]


def rates(index):
    bx, by, bz, amplitude, frequency, noise = ROTATIONS[index]
    random = SplitMix64(index + 101)
    rows = np.zeros((N, 3))
    for n in range(N):
        phase = 2 * np.pi * frequency * n / RATE
        values = [
            bx + amplitude * np.sin(phase),
            by + 0.5 * amplitude * np.sin(2 * phase + 1.0),
            bz + 0.3 * amplitude * np.sin(phase + 2.0),
        ]
        for axis in range(3):
            value = values[axis] + noise * (2 * random.uniform() - 1)
            rows[n, axis] = np.floor(value * 4096 + 0.5) / 4096
    return rows


def band_powers(signals):
    taper = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(N) / N)
    spectrum = np.fft.rfft(signals * taper[:, None], axis=0)
    power = 2 * np.abs(spectrum) ** 2 / (N * (taper**2).sum())
    f = np.fft.rfftfreq(N, 1 / RATE)
    total = power.sum(axis=1)
    return [total[(f >= low) & (f < high)].sum() for low, high in zip(BANDS, BANDS[1:])]


def features(a, raw):
    floor = 0.1**2
    g = raw - raw.mean(axis=0)
    mean = a.mean(axis=0)
    e = a - mean
    power = (e**2).sum(axis=1).mean()
    length = np.linalg.norm(mean)
    up = mean / length if length > 1e-3 * np.sqrt(power) else np.zeros(3)
    v = g @ up
    result = [np.log(p + 0.1 * floor) for p in band_powers(g)]
    result += [np.log(p + 0.1 * floor) for p in band_powers(v[:, None])]
    total = np.log((g**2).sum(axis=1).mean() + floor)
    result += [total, np.log((v**2).mean() + floor), total - np.log(power + 1e-4)]
    norm = np.linalg.norm(g, axis=1).reshape(-1, 2).mean(axis=1)
    norm -= norm.mean()
    count = len(norm)
    full = np.correlate(norm, norm, "full")[count - 1:]
    return result + [full[15:127].max() / (full[0] + 2e-5 * count)]


def main():
    lines = ["# " + __doc__.splitlines()[0]]
    for index in range(len(ROTATIONS)):
        raw = rates(index)
        sums = (raw * 4096).sum(axis=0).astype(int)
        numbers = [index, *sums, *(f"{value:.12g}" for value in features(window(index), raw))]
        lines.append(",".join(str(number) for number in numbers))
    path = pathlib.Path(__file__).with_name("rotation_features.csv")
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
