"""Scores `locomotion cadence` on gait that the data sets lack: slow walking and synthetic gait.

    pip install numpy==2.4.6 scipy==1.17.1
    swift build -c release --product locomotion
    python3 Datasets/stepping/beyond.py [FOLDER]

Pieces of 25 s lie 60 s apart in one recording, which is given to the command with and without
hints; the median rate of each piece is judged, and a piece of which less than half is answered
counts as refused.

Slow walking: that of `oxford_steps`, whose steps are timed, played at 42 to 75 steps per minute; its
deviation from gravity is scaled by the ratio of the rates to the power of 1.3 or 2, the pace wanders
by 3 %, and 0.02 m/s² of noise is added. Synthetic gait: three harmonics upwards and forwards, a
stride component of 0.7 of the step's amplitude in four directions, amplitudes of a rise of 2.5 cm or
as people usually have them, white noise, any orientation.
"""

import csv
import pathlib
import subprocess
import tempfile

import numpy as np

from fit import DATA, ROOT, grid, smooth, table

SECONDS, PAUSE = 25, 60
rng = np.random.default_rng(5)


class Pieces:
    """One recording in pieces, and what is true of each."""

    def __init__(self):
        self.rows, self.starts, self.rates, self.groups = [], [], [], []

    def add(self, samples, rate, groups):
        start = len(self.rates) * (SECONDS + PAUSE)
        times = start + np.arange(len(samples)) / 100
        self.rows.append(np.column_stack([times, samples]))
        self.starts.append(start)
        self.rates.append(rate)
        self.groups.append(groups)

    def score(self, title):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "pieces.csv"
            np.savetxt(path, np.vstack(self.rows), fmt="%.4f", delimiter=",",
                       header="t,ax,ay,az", comments="")
            for options in ([], ["--without-hints"]):
                lines = subprocess.run(
                    [ROOT / ".build/release/locomotion", "cadence", path, *options],
                    capture_output=True, text=True, check=True).stdout.splitlines()
                self.print_scores(title + (", accelerations alone" if options else ""),
                                  list(csv.DictReader(lines)))

    def print_scores(self, title, rows):
        times = np.array([float(row["t_start"]) for row in rows])
        errors = {}
        for start, rate, groups in zip(self.starts, self.rates, self.groups):
            low, high = np.searchsorted(times, [start + 8 - 1e-6, start + SECONDS - 3 - 1e-6])
            answers = [float(r["cadence"]) for r in rows[low:high] if r["cadence"]]
            refused = 2 * len(answers) < high - low
            for group in ("all", *groups):
                errors.setdefault(group, []).append(
                    np.nan if refused else np.median(answers) - rate)
        print(f"\n{title:44s} pieces  refused  off by > 10  error of the others")
        for group, values in errors.items():
            values = np.array(values)
            off = np.abs(values) > 10
            fine = np.abs(values[np.abs(values) <= 10])
            print(f"{group:44s} {len(values):6d} {np.isnan(values).mean():8.1%} {off.mean():12.1%}"
                  f" {fine.mean() if len(fine) else np.nan:20.2f}")


def slow_walking(pieces):
    contacts = {}
    for row in table(DATA / "oxford_steps/steps.csv"):
        contacts.setdefault(row["recording"], []).append(float(row["t"]))
    for row in table(DATA / "oxford_steps/labels.csv"):
        times, samples = grid(DATA / "oxford_steps" / f"{row['recording']}.csv.gz")
        gravity = smooth(samples, 201)
        steps = np.array(contacts[row["recording"]])
        place = row["note"].split("/")[0]
        for target in (42, 47, 52, 57, 65, 75):
            for power in (1.3, 2):
                begin = rng.uniform(20, 60)
                inside = steps[(steps > begin) & (steps < begin + 20)]
                ratio = target / (60 * (len(inside) - 1) / (inside[-1] - inside[0]))
                seconds = np.arange(SECONDS * 100) / 100
                knots = np.arange(0, SECONDS + 2, 2)
                pace = 1 + 0.03 * np.interp(seconds, knots, rng.normal(size=len(knots)))
                source = begin + np.cumsum(pace) * 0.01 * ratio
                if source[-1] > times[-1]:
                    continue
                base, change = (
                    np.array([np.interp(source, times, lane) for lane in lanes.T]).T
                    for lanes in (gravity, samples - gravity))
                made = np.interp(source[[800, -300]], steps, np.arange(len(steps)))
                rate = 60 * (made[1] - made[0]) / (SECONDS - 11)
                band = "below 60" if rate < 60 else "60 to 80"
                pieces.add(base + change * ratio ** power
                           + rng.normal(size=base.shape) * 0.02,
                           rate, (band, place, f"{place}, {band}"))


def orientation():
    w, x, y, z = (q := rng.normal(size=4)) / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def synthetic_gait(pieces):
    seconds = np.arange(SECONDS * 100) / 100
    for usual in (False, True):
        for stride in ("no stride", "sideways", "vertical", "any direction"):
            for decibels in (20, 0):
                for rate in range(40, 231, 10):
                    for _ in range(4):
                        omega = 2 * np.pi * rate / 60
                        amplitude = (min(3.8 * (rate / 108) ** 2, 12) if usual
                                     else 0.025 * omega ** 2)
                        phases = rng.uniform(0, 2 * np.pi, 7)
                        force = np.zeros((len(seconds), 3))
                        for line, share in enumerate((1, 0.45, 0.25)):
                            for axis, gain in ((2, 1), (0, 0.4)):
                                force[:, axis] += gain * amplitude * share * np.sin(
                                    (line + 1) * omega * seconds + phases[line + axis])
                        anywhere = rng.normal(size=3)
                        direction = {
                            "no stride": np.zeros(3), "sideways": np.array([0, 1, 0]),
                            "vertical": np.array([0, 0, 1]),
                            "any direction": anywhere / np.linalg.norm(anywhere)}[stride]
                        force += 0.7 * amplitude * direction * np.sin(
                            omega / 2 * seconds + phases[6])[:, None]
                        power = (force ** 2).mean(0).sum() / 10 ** (decibels / 10)
                        force += rng.normal(size=force.shape) * np.sqrt(power / 3)
                        band = ("40 to 50" if rate < 60 else "60 to 80" if rate < 90
                                else "90 to 200" if rate <= 200 else "210 to 230")
                        pieces.add((force + [0, 0, 9.81]) @ orientation().T, rate,
                                   (f"{decibels} dB", f"{decibels} dB, {stride}",
                                    f"{decibels} dB, {band}"))


def main():
    for title, fill in (("slow walking", slow_walking), ("synthetic gait", synthetic_gait)):
        pieces = Pieces()
        fill(pieces)
        pieces.score(title)


if __name__ == "__main__":
    main()
