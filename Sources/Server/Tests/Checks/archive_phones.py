"""Simulated phones for the checks of the archive: what they record, edit and send, and a comparison
of journals by what is stored in them.
"""

import contextlib
import json
import math
import os
import random
import sqlite3
import struct
import subprocess
import time

NANOSECONDS = 1_000_000_000
# 2026-05-12 23:30 UTC: the first minutes and the later ones are in two days.
FIRST_TIME = 1_778_628_600 * NANOSECONDS
# What `--policy` takes: no long waits, for much fails.
POLICY = "first-delay = 0.02\nlongest-delay = 0.5\n"
# The bits of a journal's keys that hold the running number; the user's number is above them.
INDEX_BITS = 40


class Simulation:
    """What the sensors of one phone deliver, by a seed; the same at every run."""

    def __init__(self, seed, rate=50, start=FIRST_TIME):
        self.chance = random.Random("phone %s" % seed)
        self.rate = rate
        self.time = start + self.chance.randrange(60 * NANOSECONDS)
        self.latitude = 48.1 + self.chance.uniform(-0.05, 0.05)
        self.longitude = 11.5 + self.chance.uniform(-0.05, 0.05)
        self.has_gyroscope = self.chance.random() < 0.5
        self.has_barometer = self.chance.random() < 0.3
        self.has_jitter = self.chance.random() < 0.5
        self.heading = self.chance.uniform(0, 2 * math.pi)
        # The step of the accelerometer's grid, m/s², and how many decimals of it are told: few can
        # be stored in little space.
        self.step, self.decimals = self.chance.choice(
            [(9.80665 / 4096, 16), (9.80665 / 2048, 4), (0.01, 2)])

    def skip(self, seconds):
        self.time += int(seconds * NANOSECONDS)

    def lines(self, seconds, walks):
        """Lines of JSON as `locomotion record` takes them, of ten seconds each."""
        result = []
        while seconds > 0:
            result.append(self._line(min(10, seconds), walks))
            seconds -= 10
        return result

    def _line(self, seconds, walks):
        chance, count = self.chance, int(seconds * self.rate)
        columns = {name: [] for name in ["t", "ax", "ay", "az"]}
        if self.has_gyroscope:
            columns |= {"gx": [], "gy": [], "gz": []}
        if self.has_barometer:
            columns["pressure"] = []
        fixes = []
        for number in range(count):
            jitter = chance.randrange(200_000) if self.has_jitter else 0
            at = self.time + number * NANOSECONDS // self.rate + jitter
            phase = 2 * math.pi * 1.8 * at / NANOSECONDS
            swing = 2.5 if walks else 0.02
            values = [
                swing * math.sin(phase), swing / 2 * math.sin(phase / 2),
                9.81 + swing * math.cos(phase)]
            columns["t"].append(exact_seconds(at))
            for name, value in zip(["ax", "ay", "az"], values):
                steps = round((value + chance.gauss(0, 0.05)) / self.step)
                columns[name].append(round(steps * self.step, self.decimals))
            if self.has_gyroscope:
                for name in ["gx", "gy", "gz"]:
                    columns[name].append(round(chance.gauss(0, 0.2 if walks else 0.01), 4))
            if self.has_barometer:
                columns["pressure"].append(round(950 + chance.gauss(0, 0.02), 2))
            if number % self.rate == 0:
                fixes.append(self._fix(at, walks))
        self.time += int(seconds * NANOSECONDS)
        text = json.dumps({k: v for k, v in columns.items() if k != "t"} | {"fixes": fixes})
        return '{"t":[%s],' % ",".join(columns["t"]) + unquoted_times(text[1:])

    def _fix(self, at, walks):
        chance = self.chance
        if walks:
            self.heading += chance.gauss(0, 0.03)
            self.latitude += 1.3 * math.cos(self.heading) / 111_195
            self.longitude += 1.3 * math.sin(self.heading) / 74_400
        fix = {
            "t": "@" + exact_seconds(at), "lat": self.latitude + chance.gauss(0, 2e-5),
            "lon": self.longitude + chance.gauss(0, 2e-5), "hacc": round(chance.uniform(3, 9), 2)}
        if chance.random() < 0.8:
            fix |= {"alt": 500 + chance.gauss(0, 3), "vacc": 4.5}
        if walks and chance.random() < 0.8:
            fix |= {"speed": round(abs(chance.gauss(1.3, 0.2)), 2),
                    "course": round(math.degrees(self.heading) % 360, 1)}
        return fix


def exact_seconds(nanoseconds):
    """Seconds with all nine decimals: a Double holds fewer."""
    return "%d.%09d" % divmod(nanoseconds, NANOSECONDS)


def unquoted_times(text):
    """The texts that `_fix` gave in place of times, as numbers."""
    parts = text.split('"@')
    return parts[0] + "".join(part.replace('"', "", 1) for part in parts[1:])


class Phone:
    """One device of a user: a journal, and the command that works on it."""

    def __init__(self, program, folder, user, number, token, seed):
        self.program, self.user, self.number = program, user, number
        self.store = os.path.join(folder, "journal-%d" % number)
        self.token_file = os.path.join(folder, "token-%d" % number)
        write_secret(self.token_file, token + "\n")
        self.policy = os.path.join(folder, "policy-%d" % number)
        write_secret(self.policy, POLICY)
        self.simulation = Simulation(seed)
        self.chance = random.Random("edits %s" % seed)
        self.is_behind = False

    def command(self, *arguments, **options):
        """The arguments of a command on this journal."""
        return [self.program, *arguments, "--store", self.store, "--user", self.user]

    def run(self, *arguments, status=0):
        done = subprocess.run(self.command(*arguments), capture_output=True, timeout=600)
        assert done.returncode == status, (arguments, done.returncode, done.stderr.decode())
        return done.stdout.decode()

    def start(self, *arguments, text=None):
        """A started command, which may be killed; `text` is its standard input."""
        process = subprocess.Popen(
            self.command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            stdin=subprocess.PIPE if text else subprocess.DEVNULL)
        if text:
            try:
                process.stdin.write(text)
                process.stdin.close()
            except BrokenPipeError:
                pass
            process.stdin = None
        return process

    def start_recording(self):
        """Records a stay or a walk of some minutes, at times after a break."""
        chance = self.simulation.chance
        if chance.random() < 0.3:
            self.simulation.skip(chance.choice([90, 600, 4_000, 30_000]))
        walks = chance.random() < 0.6
        lines = self.simulation.lines(chance.choice([20, 60, 120, 330]), walks)
        return self.start("record", "--mode", chance.choice(["walk", "bus", "Fuß"]),
                          text=("\n".join(lines) + "\n").encode())

    def sync_arguments(self, url, *options):
        return ["sync", "--to", url, "--token-file", self.token_file, "--policy", self.policy,
                "--once", *options]

    def start_sync(self, url, *options):
        return self.start(*self.sync_arguments(url, *options))

    def sync(self, url, *options):
        """The status and what was said by a `sync --once`."""
        command = self.command(*self.sync_arguments(url, *options))
        done = subprocess.run(command, capture_output=True, timeout=600)
        return done.returncode, done.stdout.decode() + done.stderr.decode()

    def edit(self):
        """Changes something by hand: a correction, a place, or what is computed of the days.

        A refusal is nothing that is tested here: there may be no stay to give a purpose to.
        """
        chance, end = self.chance, self.simulation.time // NANOSECONDS
        start = end - chance.randrange(60, 900)
        latitude = str(self.simulation.latitude + chance.gauss(0, 1e-3))
        longitude = str(self.simulation.longitude)
        arguments = chance.choice([
            ["journal", "correct", "--start", str(start), "--end", str(end), "--activity",
             chance.choice(["cycling", "walking", "train", "stationary"])],
            ["journal", "correct", "--start", str(start), "--end", str(end), "--purpose",
             chance.choice(["Arbeit", "it's \"lunch\"; DROP TABLE days;--", "日本", "<b>&"])],
            ["places", "add", "--lat", latitude, "--lon", longitude, "--name",
             chance.choice(["home", "Bäcker", "o'neil\"s", "$1"])],
            ["places", "rename", "--id", str(chance.randrange(4)), "--name", "elsewhere"],
            ["places", "remove", "--id", str(chance.randrange(6))],
            ["journal", "undo"],
            ["journal", "day", "--storyline"],
        ])
        done = subprocess.run(self.command(*arguments), capture_output=True, timeout=600)
        assert done.returncode in (0, 1, 2, 3), (arguments, done)
        return done.returncode == 0

    def device(self):
        """The random number under which the archive knows this journal's user."""
        with reading(self.store) as connection:
            return connection.execute(
                "SELECT device FROM uploads WHERE id = ?",
                (user_number(connection, self.user),)).fetchone()[0]

    def days(self):
        """The dates of which the journal knows something, as YYYY-MM-DD."""
        self.run("journal", "day", "--storyline")
        with reading(self.store) as connection:
            user = user_number(connection, self.user)
            rows = connection.execute(
                "SELECT start, end FROM items WHERE id >> ? = ?", (INDEX_BITS, user)).fetchall()
        dates, day = set(), 86_400 * NANOSECONDS
        for start, end in rows:
            for number in range(start // day, max(start, end - 1) // day + 1):
                dates.add(time.strftime("%Y-%m-%d", time.gmtime(number * 86_400)))
        return sorted(dates)

    def day(self, date):
        return self.run("journal", "day", "--storyline", "--date", date)


class CleanedPhone(Phone):
    """A phone that drops its samples once the archive has them, beside one that keeps them.

    The other one records and corrects the same, and sends nothing: the archive must have what it
    has.
    """

    def __init__(self, program, folder, user, number, token, seed):
        super().__init__(program, folder, user, number, token, seed)
        self.twin = Phone(program, folder, user, number + 1_000, token, seed)
        write_secret(self.policy, POLICY + "keep = none\n")

    def start(self, *arguments, text=None):
        if text:
            process = self.twin.start(*arguments, text=text)
            errors = process.communicate()[1]
            assert process.returncode == 0, errors
        return super().start(*arguments, text=text)

    def edit(self):
        end = self.simulation.time // NANOSECONDS
        for phone in (self.twin, self):
            phone.run("journal", "correct", "--start", str(end - 60), "--end", str(end),
                      "--activity", "cycling")
        return True


def reading(path):
    """A connection to a journal that changes nothing, as a context manager that closes it."""
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return contextlib.closing(
        sqlite3.connect("file:%s?mode=ro" % quoted, uri=True, timeout=30))


def write_secret(path, text):
    """Writes a file that nobody else can read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)


def exported_journal(folder, device):
    """The journal below `folder` that was rebuilt from a device's units."""
    found = []
    for parent, _, names in os.walk(folder):
        for path in (os.path.join(parent, name) for name in names):
            with open(path, "rb") as file:
                if file.read(16) != b"SQLite format 3\0":
                    continue
            with reading(path) as connection:
                if connection.execute(
                        "SELECT 1 FROM uploads WHERE source = ?", (device,)).fetchone():
                    found.append(path)
    assert len(found) == 1, "expected one journal of %s in %s, found %s" % (device, folder, found)
    return found[0]


def user_number(connection, name):
    found = connection.execute("SELECT id FROM users WHERE name = ?", (name,)).fetchone()
    assert found, "the journal has no user " + name
    return found[0]


def stored_content(path, user):
    """All that a journal holds of a user but what is computed, by kind, each a list of rows.

    Numbers are given by their bits, blocks without the 8 bytes that name user and batch and without
    the checksum over these.
    """
    with reading(path) as connection:
        number = user_number(connection, user)

        def rows(text):
            where = " WHERE id >> %d = %d ORDER BY id" % (INDEX_BITS, number)
            return [tuple(bits(v) for v in row) for row in connection.execute(text + where)]

        return {
            "batches": rows(
                "SELECT first_sample, samples, rotations, first_fix, fixes FROM batches"),
            "blocks": rows(
                "SELECT substr(data, 1, 4), substr(data, 13, length(data) - 16) FROM blocks"),
            "fixes": rows(
                "SELECT time, latitude, longitude, altitude, horizontal_accuracy,"
                " vertical_accuracy, speed, speed_accuracy, course, course_accuracy FROM fixes"),
            "events": rows("SELECT measurement, kind, time, value, samples, fixes FROM events"),
            "edits": rows("SELECT kind, start, end, value FROM remarks"),
            "places": rows(
                "SELECT id & %d, name, latitude, longitude, radius, is_learned FROM places"
                % ((1 << INDEX_BITS) - 1)),
        }


def samples(phone, store):
    """All that `journal export` gives of the sensors, by column, each number as it is written."""
    columns = {}
    text = subprocess.run(
        [phone.program, "journal", "export", "--format", "ndjson", "--store", store, "--user",
         phone.user], capture_output=True, timeout=600, check=True).stdout
    for line in text.splitlines():
        row = json.loads(line, parse_float=str, parse_int=str)
        # Rotation rates and pressures at times of their own come in lines of their own.
        for name in row.keys() - {"t", "fixes", "journal", "place", "edit"}:
            columns.setdefault(name, []).extend(zip(row["t"], row[name]))
    return columns


def bits(value):
    return struct.pack("<d", value) if isinstance(value, float) else value


def counts(path, user):
    """How many samples, rotation rates, fixes and events a journal has of a user."""
    with reading(path) as connection:
        return connection.execute(
            "SELECT samples, rotations, fixes, events FROM users WHERE name = ?",
            (user,)).fetchone()


def differences(one, other, user, kinds=None):
    """In which kinds of rows two journals of a user differ, and the first row that does."""
    result, left, right = [], stored_content(one, user), stored_content(other, user)
    for kind, rows in left.items():
        if rows == right[kind] or kinds and kind not in kinds:
            continue
        place = next((n for n, pair in enumerate(zip(rows, right[kind])) if pair[0] != pair[1]),
                     min(len(rows), len(right[kind])))
        result.append("%s: %d and %d rows; row %d differs: %.200r, %.200r" % (
            kind, len(rows), len(right[kind]), place, rows[place:place + 1],
            right[kind][place:place + 1]))
    return result
