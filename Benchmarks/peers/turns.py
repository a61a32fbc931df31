"""Takes turns with other programs: each line on standard input names a participant and is answered
by one sample of it, the wall-clock and the processor nanoseconds per item."""

import sys
import time
import warnings

SAMPLE_SECONDS = 0.02


def sample(work, repetitions):
    wall, processor = time.perf_counter_ns(), time.process_time_ns()
    for _ in range(repetitions):
        work()
    used = time.process_time_ns() - processor
    return (time.perf_counter_ns() - wall) / repetitions, used / repetitions


def take(participants):
    """Answers until standard input ends.

    A participant prepares when it is first asked and returns its work and how many items that is.
    What cannot be prepared (a package that is missing, an answer that is wrong) is an answer too.
    """
    # Output of libraries must not be mixed with the responses.
    answers, sys.stdout = sys.stdout, sys.stderr
    # Warnings take time to write.
    warnings.simplefilter("ignore")
    prepared = {}
    for line in sys.stdin:
        name = line.strip()
        try:
            if name not in prepared:
                work, items = participants[name]()
                work()
                wall, _ = sample(work, 1)
                prepared[name] = work, items, max(1, round(SAMPLE_SECONDS * 1e9 / wall))
            work, items, repetitions = prepared[name]
            wall, processor = sample(work, repetitions)
            print(wall / items, processor / items, file=answers, flush=True)
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            print("failed", f"{type(error).__name__}: {reason}", file=answers, flush=True)
