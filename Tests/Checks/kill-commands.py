#!/usr/bin/env python3
"""Kills commands of `locomotion` at random moments, and looks for what they leave behind.

Usage: Tests/Checks/kill-commands.py PROGRAM [KILLS [SEED]]      (default: 200 of each)

A killed export, report or analysis leaves nothing that others may read, and no output in part; an
erasure, killed or not and then repeated, no byte of where the user was.
"""

import glob
import json
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

START = 1_780_000_000
LATITUDE = 48.123456789


class Kills:
    """Runs of a program, some of which are killed."""

    def __init__(self, program, folder, seed):
        self.program, self.folder = program, folder
        self.random = random.Random(seed)
        self.temporary = os.path.join(folder, "temporary")
        os.mkdir(self.temporary)
        self.environment = dict(os.environ, TMPDIR=self.temporary, TZ="UTC")

    def run(self, *arguments, lines=None, status=0):
        run = subprocess.run(
            [self.program, *arguments], input=lines, capture_output=True, timeout=300,
            env=self.environment)
        assert status is None or run.returncode == status, (arguments, run)
        return run

    def kill(self, longest, *arguments):
        """Whether a run was killed, rather than over, some time before `longest`, seconds."""
        process = subprocess.Popen(
            [self.program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=self.environment)
        try:
            process.wait(self.random.uniform(0, longest))
            return False
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return True

    def record(self, store, first, seconds, latitude, step=5):
        lines = [json.dumps({"fixes": [{
            "t": START + first + t, "lat": latitude + 1e-6 * (t % 3), "lon": 11.5, "hacc": 5}]})
            for t in range(0, seconds, step)]
        self.run(
            "record", "--store", store, "--user", "ada", lines="\n".join(lines).encode())

    def hidden(self, folder):
        return [name for name in os.listdir(folder) if name.startswith(".")]


def outputs(kills, count):
    """Exports, reports, and analyses of an archive."""
    store, out = (os.path.join(kills.folder, name) for name in ["journal", "out"])
    os.mkdir(out)
    kills.record(store, 0, 40_000, LATITUDE)
    own = ["--store", store, "--user", "ada"]
    archive = os.path.join(kills.folder, "walk.zip")
    rows = "".join("%.2f,0,%d,9.8\n" % (n / 100, n % 7) for n in range(400_000))
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("walk.csv", "t,ax,ay,az\n" + rows)
    killed = left = 0
    forms = [
        ["journal", "export", "--format", "gpx", "--out", out + "/x.gpx", *own],
        ["journal", "report", "--out", out + "/x.html", *own],
        ["analyze", archive, "--out", out + "/analysis"],
    ]
    for number in range(count):
        killed += kills.kill(0.25, *forms[number % 3])
        for folder in [out, out + "/analysis"]:
            for name in kills.hidden(folder) if os.path.isdir(folder) else []:
                left += 1
                mode = os.stat(os.path.join(folder, name)).st_mode & 0o777
                assert mode == 0o600, (name, oct(mode))
        for path, end in [("/x.gpx", "</gpx>\n"), ("/x.html", "</html>\n")]:
            if os.path.exists(out + path):
                assert open(out + path, encoding="utf-8").read().endswith(end), path
    for name in os.listdir(kills.temporary):
        assert os.stat(os.path.join(kills.temporary, name)).st_mode & 0o777 == 0o700, name
    for form in forms:
        kills.run(*form)
    print("outputs: %d of %d killed, %d times a file was left" % (killed, count, left))


def erasures(kills, count):
    """Erasures of one of two places, after which nothing tells where it was."""
    killed = 0
    for number in range(count):
        pause = [2_000, 7_200][number % 2]
        store = os.path.join(kills.folder, "erased")
        own = ["--store", store, "--user", "ada"]
        for part in range(2):
            kills.record(store, part * pause, 400, LATITUDE + part * 0.01)
            kills.run("journal", "day", *own)
        ends = [None, 400, 600, pause - 1]
        end = ends[number // 2 % 4]
        what = ["--from", str(START), "--to", str(START + end)] if end else ["--measurement", "0"]
        if number % 3 == 0:
            killed += kills.kill(0.03, "journal", "erase", *own, *what)
        # A measurement that is gone cannot be erased again.
        kills.run("journal", "erase", *own, *what, status=None)
        kills.run("journal", "vacuum", "--store", store)
        data = b"".join(open(path, "rb").read() for path in glob.glob(store + "*"))
        near = [LATITUDE + n * 1e-8 + m * 1e-11 for n in range(0, 201, 50) for m in range(-99, 100)]
        assert not any(struct.pack(order, x) in data for x in near for order in [">d", "<d"]), what
        for told in [["places", "list"], ["journal", "day", "--storyline"]]:
            assert b"48.1234" not in kills.run(*told, *own).stdout, (told, what)
        for path in glob.glob(store + "*"):
            os.remove(path)
    print("erasures: %d, %d of them killed and repeated" % (count, killed))


def main():
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    folder = tempfile.mkdtemp(prefix="locomotion-kills-")
    try:
        kills = Kills(program, folder, seed)
        for check in [outputs, erasures]:
            check(kills, count)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
