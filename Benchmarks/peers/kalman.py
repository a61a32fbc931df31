"""Filtering fixes with filterpy: the same steps as the package's reference in C.

Usage: kalman.py FOLDER, the folder that `benchmark --write-inputs` has written.
"""

import pathlib
import sys

import numpy as np

import turns

FOLDER = pathlib.Path(sys.argv[1])


def with_filterpy():
    """Constant velocity over seconds; position and velocity as two measurements of two rows."""
    from filterpy.kalman import KalmanFilter

    fixes = np.load(FOLDER / "fixes.npy")
    east_north, motion = np.eye(4)[:2], np.eye(4)[2:]
    pairs = np.eye(2)

    def work():
        first, rest = fixes[0], fixes[1:]
        filter = KalmanFilter(dim_x=4, dim_z=2)
        filter.x = np.array([[first[0]], [first[1]], [first[3]], [first[4]]])
        filter.P = np.diag([100.0, 100, 10, 10])
        filter.F = np.kron([[1, 1], [0, 1]], pairs)
        filter.Q = 2 * np.kron([[1 / 3, 1 / 2], [1 / 2, 1]], pairs)
        for fix in rest:
            filter.predict()
            filter.update(fix[0:2, None], fix[2] * pairs, east_north)
            filter.update(fix[3:5, None], fix[5] * pairs, motion)
        return filter.x.sum()

    expected = float((FOLDER / "kalman_sum.txt").read_text())
    if not abs(work() - expected) < 1e-6 * abs(expected):
        raise ValueError(f"ends at {work():.9g}, the reference at {expected:.9g}")
    return work, len(fixes)


turns.take({"filterpy": with_filterpy})
