#!/usr/bin/env python3
"""Writes training_discriminant_weights.csv: linear discriminants of the rows in
training_ridge_rows.csv by scikit-learn (solver lsqr, fixed shrinkage, equal priors) on standardised
and limited features. Made with Python 3.11.7, scikit-learn 1.9.1, numpy 2.4.6.

weights: one line per class: intercept, then the slope of each feature
"""
import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

rows = np.loadtxt("training_ridge_rows.csv", delimiter=",", comments="#")
label = rows[:, 0].astype(int)
means = np.array([0.5, 0.0, -0.5])
scales = np.array([1.0, 0.5, 2.0])
u = np.clip((rows[:, 3:] - means) / scales, -6, 6)
model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1, priors=[1 / 3, 1 / 3, 1 / 3]).fit(u, label)
with open("training_discriminant_weights.csv", "w") as file:
    file.write("# one line per class: intercept, then slopes; see training_discriminant.py\n")
    for c in range(3):
        file.write(",".join(f"{v:.15g}" for v in [model.intercept_[c], *model.coef_[c]]) + "\n")
