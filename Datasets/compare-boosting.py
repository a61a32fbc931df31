"""Compares the package's classifier with gradient-boosted trees and a plain hidden Markov model.

Both learn from the same windows and are judged on the same data sets, each left out in turn:

    locomotion train --dataset DIR... --out my.model --windows windows.csv
    pip install lightgbm pandas scipy
    python3 Datasets/compare-boosting.py windows.csv

With --corrections, what a person's corrections gain: the peer of `benchmark score corrections`. As
there half of a person's recordings are labelled stretch by stretch in random order, and single windows
of the other half are judged, stretches and activities alike. The trees of the other sets go on growing,
on 60 windows of each activity and set and on eight windows of each labelled stretch, which weighs as
much as a fiftieth of all.

With --split FILE the data sets are the folds that split.py lays out, each left out in turn; that
nobody is in another fold than FILE says is checked. The splits are in Splits/, see README.md.

Prints, in per cent and with all activities alike, the accuracy of single windows, live (forward)
and in hindsight (forward-backward), on streams of runs of 20 s to 20 min with walks between, for
six activities and with trains as automotive. The peer is LightGBM of 300 rounds with a hidden
Markov model in which all changes are equally likely; of its settings tried, those that suit it
best on these very streams. "The package" are its scores with the states, transitions and
parameters of its temporal model, restated here, without speeds, rotation rates and found steps.
"""

import argparse
import sys

import lightgbm
import numpy
import pandas
import split
from scipy.linalg import expm

ACTIVITIES = ["stationary", "walking", "running", "cycling", "automotive", "train"]
HOP = 2.56
CORRECTIONS = (1, 3, 10, 30)
DWELLS, EXPONENTS = (60, 120, 300), (0.3, 0.6, 1.0)


def log_softmax(scores):
    scores = scores - scores.max(axis=1, keepdims=True)
    return scores - numpy.log(numpy.exp(scores).sum(axis=1, keepdims=True))


def trees_of(windows, features, labels, train):
    """Trees trained on the chosen windows, and the weights of these."""
    people = windows.groupby(["activity", "dataset", "person"]).dataset.transform("size")
    weight = people.to_numpy()[train] ** -0.5
    for label in range(len(ACTIVITIES)):
        chosen = labels[train] == label
        weight[chosen] *= train.sum() / max(weight[chosen].sum(), 1e-9) / len(ACTIVITIES)
    model = lightgbm.LGBMClassifier(
        n_estimators=300, num_leaves=15, learning_rate=0.05, min_child_samples=50,
        subsample=0.5, subsample_freq=1, colsample_bytree=0.3, reg_lambda=5,
        random_state=1, verbose=-1)
    return model.fit(features[train], labels[train], sample_weight=weight), weight


def boosted(windows, features, labels, recorded):
    """Log probabilities of the recorded windows, each set by trees trained without it.

    Trained on the windows as recorded: with altered copies the trees do worse.
    """
    sets = windows.dataset.to_numpy()
    result = numpy.full((len(windows), len(ACTIVITIES)), numpy.log(1e-3))
    for left_out in sorted(set(sets[recorded])):
        test = recorded & (sets == left_out)
        model, _ = trees_of(windows, features, labels, recorded & (sets != left_out))
        found = numpy.log(numpy.maximum(model.predict_proba(features[test]), 1e-3))
        result[numpy.ix_(test, model.classes_)] = found
        print(f"  without {left_out}", file=sys.stderr)
    return result


def streams(windows, labels, seed):
    """Each person's runs in random order; between two that aren't walks, some walk."""
    random = numpy.random.default_rng(seed)
    people = (windows.dataset + "/" + windows.person).to_numpy()
    order = numpy.lexsort((windows.end.to_numpy(), windows.recording.to_numpy()))
    walks = {p: order[(people[order] == p) & (labels[order] == 1)] for p in sorted(set(people))}
    donors = [p for p in walks if len(walks[p]) > 50]
    result = []
    for person in walks:
        runs = []
        for label in range(len(ACTIVITIES)):
            remaining = 0.0
            for row in order[(people[order] == person) & (labels[order] == label)]:
                if remaining < HOP:
                    remaining = 20 * 60 ** random.random()
                    runs.append([])
                runs[-1].append(row)
                remaining -= HOP
        random.shuffle(runs)
        stream = []
        for run in runs:
            before, after = labels[stream[-1]] if stream else 1, labels[run[0]]
            if donors and before != after and 1 not in (before, after):
                own = walks[person]
                walk = own if len(own) > 20 else walks[donors[random.integers(len(donors))]]
                count = int(20 * 4 ** random.random() / HOP)
                first = random.integers(max(1, len(walk) - count))
                stream.extend(walk[first:first + count])
            stream.extend(run)
        result.append(numpy.array(stream))
    return result


def plain_rates(dwell):
    """The rates from column to row, 1/s, with all changes alike."""
    rates = numpy.full((6, 6), 1 / dwell / 5)
    numpy.fill_diagonal(rates, 0)
    return rates


def package_rates(dwell):
    """Those of the package: six activities, then a standing road vehicle and a standing train."""
    ease = numpy.full((6, 6), 0.05)
    ease[1, :] = ease[:, 1] = 1
    ease[0, 2:4] = ease[2:4, 0] = 1
    numpy.fill_diagonal(ease, 0)
    rates = ease / (dwell * ease.sum(axis=0).mean())
    parts = {i: [(i, 1.0)] for i in range(4)} | {4: [(4, 0.8), (6, 0.2)], 5: [(5, 0.8), (7, 0.2)]}
    result = numpy.zeros((8, 8))
    for a in range(6):
        for b in range(6):
            for source, _ in parts[a]:
                for target, part in parts[b]:
                    if a != b:
                        result[target, source] = rates[b, a] * part
    for moving, standing in ((4, 6), (5, 7)):
        result[standing, moving], result[moving, standing] = 1 / 120, 1 / 30
    return result


def decode(log_likelihoods, chains, rates, backward):
    """The answers of the filter, or of the smoother."""
    states = len(rates)
    matrix = expm((rates - numpy.diag(rates.sum(axis=0))) * HOP)
    answers = []
    for chain in chains:
        scores = log_likelihoods[chain]
        likelihoods = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        if states == 8:
            likelihoods = likelihoods[:, [0, 1, 2, 3, 4, 5, 0, 0]]
            likelihoods[:, 6:] *= 0.95
        posterior = numpy.full(states, 1 / states)
        forward = numpy.zeros((len(chain), states))
        for index, likelihood in enumerate(likelihoods):
            posterior = matrix @ posterior * likelihood
            posterior /= posterior.sum()
            forward[index] = posterior
        if backward:
            variable = numpy.ones(states)
            for index in reversed(range(len(chain))):
                forward[index] *= variable
                variable = matrix.T @ (likelihoods[index] * variable)
                variable /= variable.sum()
        if states == 8:
            forward[:, 4:6] += forward[:, 6:]
        merged = numpy.column_stack([forward[:, :4], forward[:, 4] + forward[:, 5]]).argmax(axis=1)
        rail = numpy.where(forward[:, 5] > forward[:, 4], 5, 4)
        answers.append(numpy.where(merged == 4, rail, merged))
    return numpy.concatenate(answers)


def accuracy(truth, answers):
    """The mean recall of six activities, and of five."""
    def recall(truth, answers):
        return 100 * numpy.mean([(answers[truth == k] == k).mean() for k in numpy.unique(truth)])
    five = [numpy.where(values == 5, 4, values) for values in (truth, answers)]
    return recall(truth, answers), recall(*five)


def stretches_of(rows, windows, labels):
    """Runs of one label in a recording, of two windows to two minutes."""
    recordings, ends = windows.recording.to_numpy(), windows.end.to_numpy()
    result = []
    for row in rows:
        run = result[-1] if result else None
        if (
            run and recordings[run[-1]] == recordings[row] and labels[run[-1]] == labels[row]
            and ends[row] - ends[run[0]] <= 120 and ends[row] - ends[run[-1]] <= 10
        ):
            run.append(row)
        else:
            result.append([row])
    return [numpy.array(run) for run in result if len(run) > 1]


def corrections(windows, features, labels, recorded):
    """The mean errors of people by the number of corrections, before and after."""
    sets = windows.dataset.to_numpy()
    results = {count: [] for count in CORRECTIONS}
    for left_out in sorted(set(sets[recorded])):
        train = recorded & (sets != left_out)
        base, weight = trees_of(windows, features, labels, train)
        known = numpy.flatnonzero(train)
        few = windows.iloc[known].assign(place=range(len(known))).sample(frac=1, random_state=1)
        few = few.groupby(["dataset", "activity"]).head(60).place.to_numpy()
        own = windows[recorded & (sets == left_out)]
        for person, rows in own.groupby("person").groups.items():
            runs = stretches_of(rows, windows, labels)
            if len(runs) < 4:
                continue
            random = numpy.random.default_rng([1, *person.encode()])
            random.shuffle(runs)
            names = sorted({windows.recording[run[0]] for run in runs})
            half = set(random.permutation(names)[: (len(names) + 1) // 2])
            if len(names) < 4:
                labelled, judged = runs[: (len(runs) + 1) // 2], runs[(len(runs) + 1) // 2 :]
            else:
                labelled = [run for run in runs if windows.recording[run[0]] in half]
                judged = [run for run in runs if windows.recording[run[0]] not in half]
            if not labelled or not judged:
                continue

            def error(model):
                by_activity = {}
                for run in judged:
                    wrong = model.predict(features[run]) != labels[run]
                    by_activity.setdefault(labels[run[0]], []).append(wrong.mean())
                return numpy.mean([numpy.mean(errors) for errors in by_activity.values()])

            before = error(base)
            for count in CORRECTIONS:
                if count > 3 and 5 * len(labelled) < 3 * count:
                    continue
                chosen = [
                    run[numpy.unique(numpy.linspace(0, len(run) - 1, 8).astype(int))]
                    for run in labelled[:count]]
                total = weight[few].sum() / 50
                taught = numpy.concatenate(chosen)
                model = lightgbm.LGBMClassifier(
                    n_estimators=60, num_leaves=15, learning_rate=0.05, min_child_samples=5,
                    colsample_bytree=0.3, reg_lambda=5, random_state=1, verbose=-1)
                model.fit(
                    numpy.concatenate([features[known[few]], features[taught]]),
                    numpy.concatenate([labels[known[few]], labels[taught]]),
                    sample_weight=numpy.concatenate(
                        [weight[few], *[numpy.full(len(run), total / len(run)) for run in chosen]]),
                    init_model=base)
                results[count].append((before, error(model)))
        print(f"  without {left_out}", file=sys.stderr)
    print(f"{'corrections':>12}{'people':>8}{'before':>8}{'after':>8}{'gone':>8}{'worse':>8}")
    for count, pairs in results.items():
        if not pairs:
            continue
        before, after = numpy.array(pairs).T
        gone = numpy.median((1 - after / before)[before >= 0.02])
        worse = (after > before + 0.01).mean()
        figures = "".join(f"{100 * x:8.1f}" for x in (before.mean(), after.mean(), gone, worse))
        print(f"{count:12}{len(pairs):8}{figures}")


def check(windows, path):
    """Stop where a person is in another fold than the split says."""
    folds = split.read(path)
    for fold, person in sorted(set(zip(windows.dataset, windows.person))):
        expected = folds.get(tuple(person.split("/", 1)))
        if fold != f"fold{expected}":
            sys.exit(f"{path}: {person} of {fold} is not there: see split.py --folds")


def main(path, split_path, has_corrections):
    windows = pandas.read_csv(path, keep_default_na=False)
    if split_path:
        check(windows, split_path)
    labels = windows.activity.map(ACTIVITIES.index).to_numpy()
    recorded = (windows.variant == "").to_numpy()
    first = windows.columns.get_loc("speed") + 1
    scores = [f"score_{activity}" for activity in ACTIVITIES]
    if any(name not in windows for name in scores):
        sys.exit(f"{path}: expected windows of several data sets and all six activities")
    features = windows.iloc[:, first:windows.columns.get_loc(scores[0])].to_numpy(numpy.float32)
    own = windows[scores].apply(pandas.to_numeric, errors="coerce").to_numpy()
    recorded = recorded & ~numpy.isnan(own).any(axis=1)
    if has_corrections:
        return corrections(windows, features, labels, recorded)
    trees = boosted(windows, features, labels, recorded)[recorded]
    own = log_softmax(own[recorded] / 0.31)
    windows, labels = windows[recorded].reset_index(drop=True), labels[recorded]
    chains = streams(windows, labels, 1) + streams(windows, labels, 2)
    truth = numpy.concatenate([labels[chain] for chain in chains])

    def best(backward):
        found = [
            accuracy(truth, decode(exponent * trees, chains, plain_rates(dwell), backward))
            for dwell in DWELLS for exponent in EXPONENTS]
        return tuple(max(column) for column in zip(*found))

    rows = [
        ("single windows: the package", accuracy(labels, own.argmax(axis=1))),
        ("single windows: LightGBM", accuracy(labels, trees.argmax(axis=1))),
        ("live: the package", accuracy(truth, decode(own, chains, package_rates(60), False))),
        ("live: LightGBM, plain HMM", best(False)),
        ("in hindsight: the package",
         accuracy(truth, decode(0.32 * own, chains, package_rates(300), True))),
        ("in hindsight: LightGBM, plain HMM", best(True)),
    ]
    print(f"{'':36}{'six':>8}{'five':>8}")
    for name, (six, five) in rows:
        print(f"{name:36}{six:8.1f}{five:8.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", metavar="FILE")
    parser.add_argument("--corrections", action="store_true")
    parser.add_argument("windows", metavar="WINDOWS.csv")
    arguments = parser.parse_args()
    main(arguments.windows, arguments.split, arguments.corrections)
