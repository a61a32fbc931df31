"""What is compared with what, and the table of it."""

import dataclasses


@dataclasses.dataclass
class Row:
    """One ratio of a group: theirs over ours, or ours over theirs when it is inverted."""
    key: str
    worker: str
    participant: str
    reach: str = ""
    inverted: bool = False


@dataclasses.dataclass
class Group:
    """Those who do the same work as an entry of the benchmark executable."""
    ours: str
    rows: list
    rounds: int = 11
    scale: int = 1  # Items of ours that make one of theirs.


GROUPS = [
    Group("ActivityRecognition/FeatureExtractor.extract", [
        Row("numpy_over_features", "features", "numpy", ">= 30"),
        Row("skdh_over_features", "features", "skdh", ">= 19"),
        Row("tsfel_over_features", "features", "tsfel", ">= 2500"),
        Row("tsfresh_over_features", "features", "tsfresh"),
    ]),
    Group("Positioning/four-state step", [
        Row("eigen_over_kalman4", "kalman_eigen", "Eigen", ">= 3"),
        Row("filterpy_over_kalman4", "kalman", "filterpy", ">= 650"),
    ]),
    Group("Positioning/fix/Positioning/LocationFilter.update", [
        Row("eigen_over_filter", "kalman_eigen", "Eigen"),
        Row("filterpy_over_filter", "kalman", "filterpy"),
    ]),
    Group("Signals/RealFourierTransform.512 of four", [
        Row("fft4_over_fftw1", "fourier_fftw", "FFTW", "<= 0.9", inverted=True),
        Row("fft4_over_kissfft1", "fourier_kiss", "KissFFT", inverted=True),
    ], scale=4 * 512),
    Group("Signals/RealFourierTransform.512", [
        Row("fft4_streaming_over_fftw1", "fourier_fftw", "FFTW", inverted=True),
        Row("fft4_streaming_over_kissfft1", "fourier_kiss", "KissFFT", inverted=True),
    ], scale=4 * 512),
    Group("Training/ActivityModel.probabilities by row", [
        Row("lightgbm_over_model", "training", "LightGBM row", ">= 50"),
        Row("lightgbm60_over_model", "training", "LightGBM 60 row"),
    ]),
    Group("Training/HingeRidgeTrainer.train", [
        Row("sklearn_over_training", "training", "scikit-learn", ">= 2.5"),
        Row("lightgbm_over_training", "training", "LightGBM", ">= 25"),
    ], rounds=3),
    Group("Gait/CadenceEstimator.update", [
        Row("oak_over_cadence", "cadence", "oak", ">= 500"),
        Row("numpy_over_cadence", "cadence", "numpy", ">= 100"),
        Row("mobgap_over_cadence", "cadence", "mobgap"),
        Row("oak_recording_over_cadence", "cadence", "oak recording"),
        Row("mobgap_recording_over_cadence", "cadence", "mobgap recording"),
    ]),
]

# What `whole.py` measures: without a peer that takes turns.
WHOLE = {
    "day_streaming_over_read": "<= 50",
    "day_batch_over_read": "<= 22 (256 bits), <= 14 (512)",
    "three_mode_over_dense4": "<= 0.4",
    "allocations_per_batch": "0",
    "state_bytes": "<= 131072",
    "growth_7d_over_1h": "<= 1.05",
    "growth_10000_over_1": "<= 1.5",
    "analyze_over_zcat": "<= 2",
    "added_binary_bytes": "<= 2000000",
    "added_binary_bytes_unstripped": "",
}


class Result:
    """Ratios by key; beside them what they were made of, and why some are not there."""

    def __init__(self, machine):
        self.machine, self.ratios, self.missing = machine, {}, {}
        self.ours, self.theirs = {}, {}

    def json(self):
        return {
            "machine": self.machine, "ratios": self.ratios, "missing": self.missing,
            "nanoseconds": {
                key: {"ours": self.ours.get(key), "theirs": theirs}
                for key, theirs in self.theirs.items()
            },
        }

    def text(self, only):
        m = self.machine
        swift = m["packages"].get("swift", "")
        lines = [
            f"{m['processor']}, {m['cores']} cores, {m['system']}, {swift}",
            f"widest vectors {m['widest_vector_bits']} bits, load {m['load_at_start']:.1f} before "
            f"and {m.get('load_at_end', 0):.1f} after",
            "",
            f"{'key':32}{'ratio':>12}  {'reach':30}{'ours':>12}{'theirs':>12}",
        ]
        reaches = {row.key: row.reach for group in GROUPS for row in group.rows} | WHOLE
        for key, reach in reaches.items():
            if only not in key:
                continue
            ratio = f"{self.ratios[key]:.4g}" if key in self.ratios else "-"
            if abs(self.ratios.get(key, 0)) >= 1e4:
                ratio = f"{self.ratios[key]:.0f}"
            lines.append(
                f"{key:32}{ratio:>12}  {reach:30}{time(self.ours.get(key)):>12}"
                f"{time(self.theirs.get(key)):>12}")
        notes = [f"  {key}: {reason}" for key, reason in self.missing.items() if only in key]
        return "\n".join(lines + (["", "left out:"] + notes if notes else []))


def time(nanoseconds):
    if nanoseconds is None:
        return ""
    for limit, unit, size in (1e3, "ns", 1), (1e6, "µs", 1e3), (1e9, "ms", 1e6):
        if nanoseconds < limit:
            return f"{nanoseconds / size:.4g} {unit}"
    return f"{nanoseconds / 1e9:.4g} s"
