"""Training on 100,000 windows of 87 features, and the probabilities of one window at a time.

Usage: training.py FOLDER, the folder that `benchmark --write-inputs` has written.
"""

import ctypes
import pathlib
import sys

import numpy as np

import turns

FOLDER = pathlib.Path(sys.argv[1])
ROWS = 4096


def windows():
    features = np.load(FOLDER / "training_features.npy")
    return features, np.load(FOLDER / "training_labels.npy").astype(int)


def with_sklearn():
    """The default solver to its default tolerance, on standardised features in single precision."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    features, labels = windows()

    def work():
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(features, labels)

    return work, len(labels)


def train(rounds):
    import lightgbm

    features, labels = windows()
    parameters = {
        "objective": "multiclass", "num_class": 5, "num_leaves": 15, "learning_rate": 0.1,
        "num_threads": 1, "verbosity": -1, "seed": 1,
    }

    def work():
        return lightgbm.train(parameters, lightgbm.Dataset(features, labels), rounds)

    return work, len(labels)


def single_rows(rounds):
    """The fast form of the C interface, which is set up once and then called row by row."""
    from lightgbm.basic import _LIB as library

    booster = train(rounds)[0]()
    features, _ = windows()
    rows = np.ascontiguousarray(features[::len(features) // ROWS][:ROWS], np.float32)
    width = rows.shape[1]
    single_precision, plain, all_rounds, start = 0, 0, -1, 0
    prepared, length, result = ctypes.c_void_p(), ctypes.c_int64(), np.zeros(5)
    status = library.LGBM_BoosterPredictForMatSingleRowFastInit(
        booster._handle, ctypes.c_int(plain), ctypes.c_int(start), ctypes.c_int(all_rounds),
        ctypes.c_int(single_precision), ctypes.c_int32(width), b"num_threads=1",
        ctypes.byref(prepared))
    if status != 0:
        raise ValueError("the fast form refused the model")
    addresses = [ctypes.c_void_p(rows.ctypes.data + 4 * width * row) for row in range(len(rows))]
    predict = library.LGBM_BoosterPredictForMatSingleRowFast
    target = ctypes.c_void_p(result.ctypes.data)
    size = ctypes.byref(length)

    def work():
        for address in addresses:
            predict(prepared, address, size, target)

    work()
    if not np.allclose(result, booster.predict(rows[-1:])[0], atol=1e-6):
        raise ValueError("the fast form answers otherwise than the plain one")
    work.booster = booster  # The model must outlive its calls.
    return work, len(rows)


turns.take({
    "scikit-learn": with_sklearn,
    "LightGBM": lambda: train(300),
    "LightGBM row": lambda: single_rows(300),
    "LightGBM 60 row": lambda: single_rows(60)})
