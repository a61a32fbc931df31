"""Ways whose length is known, and what recorders keep of them.

A way is a line of turns and straights that is gone at a steady speed; its fixes have errors as
receivers make them, 2.5 m that last for half a minute (Gauss-Markov) and 0.5 m that are new with
every fix, along each axis. A rule says which of a fix a second a recorder keeps.
"""

import math

import numpy as np

EARTH = 6_371_008.8
LATITUDE, LONGITUDE = 47.0, 8.0
# Metres per degree of latitude and longitude there, on WGS 84.
NORTH, EAST = 111_170.8, 76_056.0
START = 1_700_000_000
LASTING, WHITE, MEMORY = 2.5, 0.5, 30.0


def streets(random, total, radius, shortest, longest):
    """Blocks of a street grid with quarter turns at some of their corners."""
    moves, length = [], 0.0
    while length < total:
        moves.append((random.uniform(shortest, longest), 0.0))
        if random.random() < 0.6:
            moves.append((radius * math.pi / 2, random.choice([-1, 1]) / radius))
        length = sum(move[0] for move in moves)
    return moves


def hairpins(random, total):
    """A path up a slope: legs of 40 to 120 m, and turns of 5 m radius to either side in turn."""
    moves, length, side = [], 0.0, 1
    while length < total:
        moves.append((random.uniform(40, 120), 0.0))
        moves.append((5 * random.uniform(2.6, 3.1), side / 5))
        side = -side
        length = sum(move[0] for move in moves)
    return moves


def curves(random, total, radii, straights):
    """A road that winds."""
    moves, length = [], 0.0
    while length < total:
        moves.append((random.uniform(*straights), 0.0))
        radius = random.uniform(*radii)
        moves.append((radius * random.uniform(0.3, 1.4), random.choice([-1, 1]) / radius))
        length = sum(move[0] for move in moves)
    return moves


def laps(total):
    """A track of 400 m."""
    half = [(84.39, 0.0), (math.pi * 36.8, 1 / 36.8)]
    return half * int(total / 200)


KINDS = {
    "run": (lambda random: streets(random, 8_000, 6, 60, 200), 3.0),
    "hike": (lambda random: hairpins(random, 8_000), 1.2),
    "ride": (lambda random: curves(random, 30_000, (30, 150), (50, 400)), 7.0),
    "drive": (lambda random: streets(random, 30_000, 20, 150, 600), 14.0),
    "straight": (lambda random: [(8_000.0, 0.0)], 1.2),
    "forest": (lambda random: curves(random, 10_000, (15, 60), (20, 120)), 1.4),
    "laps": (lambda random: laps(8_000), 3.2),
}


class Way:
    """A way as it was gone, second by second: `x`, `y` measured, `stood` in its pauses."""

    def __init__(self, kind, draw, pauses=0):
        random = np.random.default_rng([draw, sum(map(ord, kind))])
        moves, speed = KINDS[kind][0](random), KINDS[kind][1]
        x, y = self.line(moves)
        along = np.r_[0, np.cumsum(np.hypot(np.diff(x), np.diff(y)))]
        self.length = along[-1]
        gone, stood = self.progress(random, speed, pauses)
        self.stood = stood
        errors = self.errors(random, len(gone))
        self.x = np.interp(gone, along, x) + errors[:, 0]
        self.y = np.interp(gone, along, y) + errors[:, 1]
        self.speed = np.maximum(0, np.gradient(gone) + random.normal(size=len(gone)) * 0.1)

    @staticmethod
    def line(moves, step=0.5):
        x, y, heading = [0.0], [0.0], 0.3
        for length, curvature in moves:
            count = max(1, round(length / step))
            part = length / count
            for _ in range(count):
                middle = heading + curvature * part / 2
                x.append(x[-1] + part * math.cos(middle))
                y.append(y[-1] + part * math.sin(middle))
                heading += curvature * part
        return np.array(x), np.array(y)

    def progress(self, random, speed, pauses):
        """Metres from the start each second, at a speed that wanders by 8 % within a minute."""
        gone, wander = [0.0], 0.0
        while gone[-1] < self.length:
            wander = wander * math.exp(-1 / 60) + random.normal() * 0.08 * math.sqrt(
                1 - math.exp(-2 / 60))
            gone.append(min(gone[-1] + speed * max(0.4, 1 + wander), self.length))
        stops = set(random.choice(np.arange(60, len(gone) - 60), pauses, replace=False))
        stood, all_gone = [], []
        for second, metres in enumerate(gone):
            rest = int(random.integers(20, 201)) if second in stops else 0
            all_gone += [metres] * (1 + rest)
            stood += [False] + [True] * rest
        return np.array(all_gone), np.array(stood)

    @staticmethod
    def errors(random, count):
        kept = math.exp(-1 / MEMORY)
        errors = np.zeros((count, 2))
        errors[0] = random.normal(size=2) * LASTING
        new = random.normal(size=(count, 2)) * LASTING * math.sqrt(1 - kept * kept)
        for second in range(1, count):
            errors[second] = kept * errors[second - 1] + new[second]
        return errors + random.normal(size=(count, 2)) * WHITE

    def chords(self, kept):
        """The sum of chords between the fixes that are kept, metres."""
        return np.hypot(np.diff(self.x[kept]), np.diff(self.y[kept])).sum()

    def write(self, path, kept):
        """Writes the kept fixes as a table of times and positions."""
        with open(path, "w") as file:
            file.write("t,lat,lon,alt,hacc,speed,course\n")
            for second in kept:
                latitude = LATITUDE + self.y[second] / NORTH
                longitude = LONGITUDE + self.x[second] / EAST
                file.write(f"{START + second},{latitude:.7f},{longitude:.7f},,,,\n")


def every(seconds):
    def keep(way):
        last = len(way.x) - 1
        return np.unique(np.r_[np.arange(0, last, seconds), last])
    return keep


def farther(metres):
    def keep(way):
        kept = [0]
        for second in range(1, len(way.x)):
            last = kept[-1]
            if math.hypot(way.x[second] - way.x[last], way.y[second] - way.y[last]) >= metres:
                kept.append(second)
        return np.unique(kept + [len(way.x) - 1])
    return keep


def turns(way, tolerance=3.0):
    """The points that a line needs to keep within some metres of all (Douglas and Peucker 1973)."""
    kept, parts = {0, len(way.x) - 1}, [(0, len(way.x) - 1)]
    while parts:
        first, last = parts.pop()
        if last - first < 2:
            continue
        a = np.array([way.x[first], way.y[first]])
        line = np.array([way.x[last], way.y[last]]) - a
        inner = np.stack([way.x[first + 1:last], way.y[first + 1:last]], 1) - a
        square = line @ line
        part = np.clip(inner @ line / square, 0, 1) if square > 0 else np.zeros(len(inner))
        distances = np.hypot(*(inner - part[:, None] * line).T)
        farthest = int(np.argmax(distances))
        if distances[farthest] > tolerance:
            farthest += first + 1
            kept.add(farthest)
            parts += [(first, farthest), (farthest, last)]
    return np.array(sorted(kept))


def moving(step):
    def keep(way):
        return np.flatnonzero(~way.stood)[::step]
    return keep


# By name: which seconds are kept, and how often the way was paused.
RULES = {
    "1 s": (every(1), 0), "5 s": (every(5), 0), "at turns": (turns, 0),
    "1 s, auto-pause": (moving(1), 11), "5 s, auto-pause": (moving(5), 11),
    "1 s, stood": (every(1), 11), "10 m": (farther(10), 0), "50 m": (farther(50), 0),
    "30 s": (every(30), 0), "60 s": (every(60), 0),
}


def rule(name):
    """A rule of the table, or a fix every so many seconds, "7 s"."""
    return RULES.get(name) or (every(int(name.removesuffix(" s"))), 0)
