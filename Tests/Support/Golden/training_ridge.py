#!/usr/bin/env python3
"""Writes training_ridge_rows.csv and training_ridge_weights.csv: a weighted ridge regression of
+-1 indicators on hinge columns, solved by an SVD least-squares fit of the stacked, augmented
system, which forms no normal equations. Made with Python 3.11, numpy 2.4.6.

rows:    class, data set, person, feature 0, 1, 2 (exact in binary: multiples of 1/64)
weights: one line per class: b, then for each feature w0 ... w6
"""
import numpy as np

RIDGE = 1e-3
rng = np.random.default_rng(20240517)
n, features, classes = 240, 3, 3
person = rng.integers(0, 5, n)
dataset = person % 2
label = rng.integers(0, classes, n)
x = np.array([[0.0, 1.3, -0.8], [0.4, -1.1, 0.9], [1.5, 0.2, -2.0]])[label] + rng.normal(size=(n, features))
x = np.round(x * 64) / 64

means = np.array([0.5, 0.0, -0.5])
scales = np.array([1.0, 0.5, 2.0])
knots = np.array([[-1.5, -1, -0.5, 0.5, 1, 1.5], [-3, -2, -1, 1, 2, 3], [-1, -0.5, -0.25, 0.25, 0.5, 1]])

u = np.clip((x - means) / scales, -6, 6)
columns = [np.ones(n)]
for f in range(features):
    columns.append(u[:, f])
    columns += [np.maximum(0, u[:, f] - k) for k in knots[f]]
phi = np.stack(columns, axis=1)

# Weights: classes equal; inside a class sets by the root of their mass; inside a set people by
# the root of their number of windows.
w = np.zeros(n)
for c in range(classes):
    mass = {}
    for s in range(2):
        people = [p for p in range(5) if p % 2 == s]
        mass[s] = sum(np.sqrt(np.sum((label == c) & (person == p))) for p in people)
    total = sum(np.sqrt(m) for m in mass.values())
    for p in range(5):
        cell = (label == c) & (person == p)
        if cell.any():
            share = np.sqrt(mass[p % 2]) / total * np.sqrt(cell.sum()) / mass[p % 2]
            w[cell] = share / cell.sum() / classes
assert abs(w.sum() - 1) < 1e-12

root = np.sqrt(w)[:, None]
penalty = np.sqrt(RIDGE) * np.eye(phi.shape[1])[1:]
target = np.where(label[:, None] == np.arange(classes), 1.0, -1.0)
stacked = np.vstack([root * phi, penalty])
right = np.vstack([root * target, np.zeros((penalty.shape[0], classes))])
weights = np.linalg.lstsq(stacked, right, rcond=None)[0]

with open("training_ridge_rows.csv", "w") as file:
    file.write("# class,data set,person,features; see training_ridge.py\n")
    for i in range(n):
        file.write(f"{label[i]},{dataset[i]},{person[i]}," + ",".join(f"{v:.6f}" for v in x[i]) + "\n")
with open("training_ridge_weights.csv", "w") as file:
    file.write("# one line per class: b, then for each feature w0 ... w6; see training_ridge.py\n")
    for c in range(classes):
        file.write(",".join(f"{v:.15g}" for v in weights[:, c]) + "\n")
