"""Measures the package and its peers in turns, prints the table and writes the ratios.

Usage: compare.py PROGRAMS FOLDER [--json FILE] [--only TEXT] [--rounds N]

PROGRAMS is where Swift's programs are, FOLDER where `peers.sh` has put the inputs and what it
compiled. In each round everyone that does the same work gives one sample, in an order that changes,
so that a slow phase of the machine hits all; the ratio is the median over the rounds.
"""

import argparse
import ctypes
import dataclasses
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

import table
import whole

HERE = pathlib.Path(__file__).parent


class Worker:
    """A program that takes turns; it is started when it is first asked."""

    def __init__(self, command, log):
        self.command, self.log, self.process = command, log, None

    def ask(self, name):
        """Processor nanoseconds per item of one sample."""
        if self.process is None:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log,
                text=True)
        try:
            self.process.stdin.write(name + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().split(None, 1)
        except BrokenPipeError:
            answer = []
        if not answer:
            raise RuntimeError(f"{pathlib.Path(self.command[0]).name} ended, see {self.log.name}")
        if answer[0] in ("failed", "unknown"):
            raise RuntimeError(answer[1].strip())
        return float(answer[1])

    def stop(self):
        if self.process is not None:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass  # It ended by itself.
            self.process.wait()
            self.process = None


def workers(programs, folder, log):
    inputs = str(folder / "inputs")
    found = {"ours": Worker([str(programs / "benchmark"), "--turns"], log)}
    for group in ("features", "cadence", "kalman", "training"):
        found[group] = Worker([sys.executable, str(HERE / f"{group}.py"), inputs], log)
    for name in ("kalman_eigen", "fourier_fftw", "fourier_kiss"):
        found[name] = Worker([str(folder / name), inputs], log)
    return found


def in_turns(group, workers, rounds):
    """The samples of ours and of each peer by key, round by round; and why some have none."""
    samples = {"": []} | {row.key: [] for row in group.rows}
    missing = {}
    for number in range(rounds):
        asked = [("", "ours", group.ours)] + [(r.key, r.worker, r.participant) for r in group.rows]
        asked = [entry for entry in asked if entry[0] not in missing]
        turn = number % len(asked)
        for key, worker, participant in asked[turn:] + asked[:turn]:
            try:
                samples[key].append(workers[worker].ask(participant))
            except (OSError, RuntimeError) as error:
                missing[key] = f"{participant}: {error}"
        if "" in missing:
            missing |= {row.key: missing[""] for row in group.rows}
            break
    return {key: taken for key, taken in samples.items() if key not in missing}, missing


def measure_group(group, workers, options, result):
    samples, missing = in_turns(group, workers, options.rounds or group.rounds)
    for row in group.rows:
        if row.key in samples and "" in samples:
            pairs = zip(samples[row.key], samples[""])
            ratios = [theirs / (group.scale * ours) for theirs, ours in pairs]
            ratio = statistics.median(ratios)
            result.ratios[row.key] = 1 / ratio if row.inverted else ratio
            result.theirs[row.key] = statistics.median(samples[row.key])
            result.ours[row.key] = group.scale * statistics.median(samples[""])
        else:
            result.missing[row.key] = missing[row.key]


def measure_peers_alone(group, workers, result):
    """Where the package lacks the stage: what the peers take, without a ratio."""
    for row in group.rows:
        try:
            result.theirs[row.key] = statistics.median(
                workers[row.worker].ask(row.participant) for _ in range(group.rounds))
        except (OSError, RuntimeError) as error:
            result.missing[row.key] = f"{row.participant}: {error}"
            continue
        result.missing[row.key] = f"the package has no {group.ours!r} yet"


def openblas_core():
    """What kind of core OpenBLAS takes this one for: it decides which kernels training runs on."""
    try:
        name = ctypes.CDLL("libopenblas.so.0").openblas_get_corename
    except (OSError, AttributeError):
        return "unknown"
    name.restype = ctypes.c_char_p
    return name().decode()


def machine(folder):
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    values = dict(map(str.strip, line.split(":", 1)) for line in lines if ":" in line)
    flags = values.get("flags", "").split()
    width = 512 if "avx512f" in flags else 256 if "avx2" in flags else 128
    versions = folder / "versions.txt"
    packages = dict(
        line.split(None, 1) for line in versions.read_text().splitlines() if " " in line)
    return {
        "processor": values.get("model name", "unknown"), "cores": os.cpu_count(),
        "system": " ".join(platform.uname()[i] for i in (0, 2)),
        "widest_vector_bits": width, "streaming_vector_bits": width, "batch_vector_bits": width,
        "batch_threads": os.cpu_count(),
        "openblas_core": openblas_core(),
        "load_at_start": os.getloadavg()[0], "packages": packages,
    }


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int)
    options = parser.parse_args()
    listed = subprocess.run(
        [options.programs / "benchmark", "--list"], capture_output=True, text=True, check=True)
    options.entries = listed.stdout.splitlines()

    result = table.Result(machine(options.folder))
    with open(options.folder / "workers.log", "w") as log:
        participants = workers(options.programs, options.folder, log)
        for group in table.GROUPS:
            rows = [row for row in group.rows if options.only in row.key]
            if not rows:
                continue
            group = dataclasses.replace(group, rows=rows)
            print("measuring", ", ".join(row.key for row in group.rows), file=sys.stderr)
            if group.ours in options.entries:
                measure_group(group, participants, options, result)
            else:
                measure_peers_alone(group, participants, result)
            for worker in participants.values():
                worker.stop()
    whole.measure(options, result)
    result.machine["load_at_end"] = os.getloadavg()[0]
    print(result.text(options.only))
    if options.json:
        options.json.write_text(json.dumps(result.json(), indent=2) + "\n")


main()
