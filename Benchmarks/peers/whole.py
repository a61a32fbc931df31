"""What needs no peer that takes turns: the day against a plain read, growth, memory, the command
against zcat, and what an import adds to a program."""

import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time


def measure(options, result):
    benchmarks(options, result)
    for key, part in ("analyze_over_zcat", analyze), ("added_binary_bytes", added_bytes):
        if options.only in key:
            print("measuring", key, flush=True)
            try:
                part(options, result)
            except (OSError, subprocess.CalledProcessError) as error:
                result.missing[key] = str(error)


# What the benchmark executable compares itself, in turns inside one process.
FILTERS = {
    "Locomotion/LocomotionPipeline.ingest": ["allocations_per_batch"],
    "Locomotion/day": ["day_streaming_over_read", "day_batch_over_read"],
    "Locomotion/an hour after": ["growth_7d_over_1h"],
    "Locomotion/side by side": ["growth_10000_over_1", "state_bytes"],
    "Positioning/fix": ["three_mode_over_dense4"],
}


def benchmarks(options, result):
    rows = {}
    quick = ["--quick"] if options.rounds == 1 else []
    for filter, keys in FILTERS.items():
        if not any(options.only in key for key in keys):
            continue
        print("measuring", ", ".join(keys), flush=True)
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            try:
                subprocess.run(
                    [
                        options.programs / "benchmark", "--filter", filter, "--json", file.name,
                        *quick,
                    ],
                    check=True)
                results = json.loads(pathlib.Path(file.name).read_text())
                rows |= {row["name"]: row for row in results["benchmarks"]}
            except (OSError, subprocess.CalledProcessError) as error:
                result.missing |= {key: str(error) for key in keys}

    def ratio(key, name, base, kind=("ratio_to_base", "cpu_time")):
        if name in rows:
            result.ratios[key] = rows[name][kind[0]]
            result.ours[key] = rows[name][kind[1]]
            result.theirs[key] = rows[base][kind[1]]
        elif base in rows:
            result.missing[key] = f"the package has no {name!r} yet"

    ratio("day_streaming_over_read", "Locomotion/day/replay", "Locomotion/day/plain read")
    # With several threads wall-clock time counts; processor time would be the sum over all.
    wall = ("wall_ratio_to_base", "real_time")
    ratio("day_batch_over_read", "Locomotion/day/batch", "Locomotion/day/plain read", wall)
    dense = "Positioning/fix/Positioning/dense four-state step in C"
    ratio("three_mode_over_dense4", "Positioning/fix/Positioning/LocationFilter.update", dense)
    hours, beside = "Locomotion/an hour after/", "Locomotion/side by side/"
    ratio("growth_7d_over_1h", hours + "167 h", hours + "0 h")
    ratio("growth_10000_over_1", beside + "10000 pipelines", beside + "1 pipelines")

    counts = [row.get("allocations_per_iteration") for name, row in rows.items()
              if "LocomotionPipeline.ingest" in name]
    if counts and None not in counts:
        # An iteration is a minute of batches of one second.
        result.ratios["allocations_per_batch"] = max(counts) / 60
    many = rows.get(beside + "10000 pipelines")
    if many and many.get("held_bytes"):
        # The memory of one more pipeline: both entries hold the same data.
        one = rows[beside + "1 pipelines"]["held_bytes"]
        result.ratios["state_bytes"] = (many["held_bytes"] - one) / 9999


def analyze(options, result):
    """A compressed day, end to end, in wall-clock time: what a person waits for."""
    day = options.folder / "day" / "demo.csv.gz"
    key = "analyze_over_zcat"
    if not day.exists():
        result.missing[key] = "there is no recorded day"
        return
    output = options.folder / "report"
    commands = {
        "ours": [str(options.programs / "locomotion"), "analyze", str(day), "--out", str(output)],
        "theirs": ["sh", "-c", f"zcat '{day}' | wc -l"],
    }
    times = {name: [] for name in commands}
    for _ in range(options.rounds or 3):
        for name, command in commands.items():
            start = time.perf_counter_ns()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            times[name].append(time.perf_counter_ns() - start)
    result.ratios[key] = statistics.median(a / b for a, b in zip(times["ours"], times["theirs"]))
    result.ours[key] = statistics.median(times["ours"])
    result.theirs[key] = statistics.median(times["theirs"])


def added_bytes(options, result):
    """The size of a program with and without the package: what is loaded, and with the names and
    debug information that the release build leaves in the file."""
    programs = [options.programs / "with", options.programs / "without"]
    if not all(program.exists() for program in programs):
        result.missing["added_binary_bytes"] = "the two programs were not built"
        return
    whole = [os.path.getsize(program) for program in programs]
    result.ratios["added_binary_bytes_unstripped"] = whole[0] - whole[1]
    with tempfile.TemporaryDirectory() as stripped:
        for program in programs:
            subprocess.run(["strip", "-o", f"{stripped}/{program.name}", program], check=True)
        sizes = [os.path.getsize(f"{stripped}/{program.name}") for program in programs]
    result.ratios["added_binary_bytes"] = sizes[0] - sizes[1]
