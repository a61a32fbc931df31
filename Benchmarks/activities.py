"""Activities second by second, on sets and people left out, beside gradient-boosted trees with a
hidden Markov model that are trained on the same recordings.

Usage: activities.py PROGRAM [--datasets DIR] [--folds FOLDER…]
       activities.py --corrections WINDOWS.csv

PROGRAM is the `locomotion` command; needs lightgbm, numpy, pandas and scipy. Three splits are drawn by a
seed: a third of the data sets is left out of each model, and half of the people of those that are
alone of their kind (short clips, chores, what is none of the six). With --folds, each of the
FOLDERs is left out in turn, as those of people that Datasets/split.py lays out.

Prints for each split and their mean, live (or forward) and in hindsight (or forward-backward), of
every second, and of those at the windows that the peer is scored on: the recall of six and of five
classes (a vehicle on rails is one on the road), each the mean of its sets; of the answers between
.85 and .95 the part that is right; the calibration error; and of what is none of the six the part
of its time that is told as a mode of travel, by set. The peer is LightGBM of 300 rounds on the
package's features and a hidden Markov model in which all changes are alike, with the dwell and
exponent that suit it best on these very recordings; it knows six classes.

With --corrections, what a person's corrections gain, by the windows that `train --windows` writes: the
peer of `benchmark score corrections`. As there half of a person's recordings are labelled stretch by
stretch in random order, and single windows of the other half are judged, stretches and activities
alike. The trees of the other sets go on growing, on 60 windows of each activity and set and on
eight windows of each labelled stretch, which weighs as much as a fiftieth of all.
"""

import argparse
import collections
import concurrent.futures
import csv
import io
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import lightgbm
import numpy
import pandas
from scipy.linalg import expm

ACTIVITIES = ["stationary", "walking", "running", "cycling", "automotive", "train"]
HOP = 2.56
CORRECTIONS = (1, 3, 10, 30)
DWELLS, EXPONENTS = (60, 120, 300), (0.3, 0.6, 1.0)
# Left out by thirds.
SETS = """bratislava_mhd byke car_helbert comma2k19_ex1 difronzo driver_jair geotec_spsw har_mcservenka
lowrate_andpuc ml4qs_andras ml4qs_babur ml4qs_g67 ml4qs_lars ml4qs_liatoutou ml4qs_mika ml4qs_puck
ml4qs_sarissa ml4qs_siberia ml4qs_toetsie ml4qs_valentijn ml4qs_vehicle mobgap_lab mobifall motionsense
oxford_steps paris_metro steps_stepapp steps_technion stride_wq""".split()
# Left out by halves of their people, or of their recordings where there are not three.
HALVED = """clips_short other_pocket chores_short other_rowing other_climbing escooter_byu""".split()
DESCRIPTIONS = pathlib.Path(__file__).parents[1] / "Datasets/Descriptions"


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


def halves(folder, place):
    """Two folders of links with the people of a set in turn."""
    rows = list(csv.DictReader((folder / "labels.csv").open()))
    people = {row["recording"]: row["subject"] for row in rows}
    if len(set(people.values())) < 3:
        people = {recording: recording for recording in people}
    order = sorted(set(people.values()))
    for half in range(2):
        made = place / f"{folder.name}-{half}"
        made.mkdir()
        kept = [row for row in rows if order.index(people[row["recording"]]) % 2 == half]
        with (made / "labels.csv").open("w") as file:
            table = csv.DictWriter(file, rows[0])
            table.writeheader()
            table.writerows(kept)
        (made / "dataset.json").write_text((DESCRIPTIONS / f"{folder.name}.json").read_text())
        for recording in {row["recording"] for row in kept}:
            for path in folder.glob(recording + ".*"):
                (made / path.name).symlink_to(path.resolve())
        yield made


def splits(data, place):
    """The folders to train on and those left out, for each of three splits."""
    order = list(SETS)
    random.Random(54).shuffle(order)
    halved = [list(halves(data / name, place)) for name in HALVED if (data / name).exists()]
    for number in range(3):
        left_out = [data / name for name in order[number::3]]
        yield (
            [data / name for name in SETS if data / name not in left_out]
            + [pair[number % 2] for pair in halved],
            left_out + [pair[1 - number % 2] for pair in halved])


def stated(folder):
    """The stated intervals of each recording: start, end, one of the six or "other"."""
    described = DESCRIPTIONS / f"{folder.name.split('-')[0]}.json"
    names = json.loads(described.read_text()).get("labels", {}) if described.exists() else {}
    found = collections.defaultdict(list)
    for row in csv.DictReader((folder / "labels.csv").open()):
        name = row["label"] if row["label"] == "other" else names.get(row["label"], row["label"])
        if name in ACTIVITIES or name == "other":
            found[row["recording"]].append((float(row["start"]), float(row["end"]), name))
    return found


def seconds(program, model, path, intervals, mode):
    """Start, truth, answer and highest probability of each second with a label."""
    told = subprocess.run(
        [program, "classify", path, "--mode", mode, "--model", model],
        capture_output=True, text=True)
    for row in csv.DictReader(io.StringIO(told.stdout)):
        start, end = float(row["t_start"]), float(row["t_end"])
        name = next((name for a, b, name in intervals if a <= start and end <= b), None)
        if name:
            highest = max(float(row["p_" + activity]) for activity in ACTIVITIES)
            yield start, name, row["activity"], highest


def answers(program, model, folders, mode):
    """The seconds of each recording, by set and name."""
    jobs = {
        (folder.name.split("-")[0], recording): (folder / f"{recording}.csv.gz", intervals)
        for folder in folders for recording, intervals in stated(folder).items()}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        told = pool.map(lambda job: list(seconds(program, model, *job, mode)), jobs.values())
        return dict(zip(jobs, told))


def at_windows(found, windows, delay):
    """Of the seconds those `delay` before the ends of the windows that the peer is scored on."""
    by_time = {key: {int(second[0]): second for second in rows} for key, rows in found.items()}
    for place, recording, end in zip(windows.dataset, windows.recording, windows.end):
        second = by_time.get((place, recording), {}).get(int(end - delay - 1e-3))
        if second:
            yield place, *second[1:]


def recalls(rows):
    """The mean recall of six classes and of five, each class the mean of its sets, and by class."""
    def mean(names):
        found = collections.defaultdict(list)
        for place, truth, answer, _ in rows:
            if truth in ACTIVITIES:
                found[names(truth), place].append(names(truth) == names(answer))
        classes = collections.defaultdict(list)
        for (truth, _), right in found.items():
            if len(right) >= 20:
                classes[truth].append(numpy.mean(right))
        return {name: numpy.mean(values) for name, values in classes.items()}
    six = mean(lambda name: name)
    five = mean(lambda name: "automotive" if name == "train" else name)
    return numpy.mean(list(six.values())), numpy.mean(list(five.values())), six


def row(name, rows):
    """What is printed of the package's or the peer's answers."""
    six, five, classes = recalls(rows)
    known = [
        (highest, truth == answer) for _, truth, answer, highest in rows
        if truth != "other" and answer in ACTIVITIES]
    highest, right = map(numpy.array, zip(*known))
    nine = (highest > 0.85) & (highest < 0.95)
    bins = numpy.minimum((highest * 15).astype(int), 14)
    error = sum(
        abs(highest[bins == k].mean() - right[bins == k].mean()) * (bins == k).mean()
        for k in set(bins))
    travel = collections.defaultdict(list)
    for place, truth, answer, _ in rows:
        if truth == "other":
            travel[place].append(answer in ACTIVITIES[1:])
    figures = [six, five] + [classes.get(activity, numpy.nan) for activity in ACTIVITIES]
    figures += [right[nine].mean() if nine.any() else numpy.nan, error]
    others = ", ".join(f"{place} {numpy.mean(told):.2f}" for place, told in sorted(travel.items()))
    print(f"{name:24}" + "".join(f"{figure:8.3f}" for figure in figures) + "  " + others, flush=True)
    return figures


def peer(windows, features, labels, train):
    """The peer's answers, forward and forward-backward, of the windows that it wasn't trained on."""
    model, _ = trees_of(windows, features, labels, train)
    test = numpy.flatnonzero(~train)
    found = numpy.full((len(windows), len(ACTIVITIES)), numpy.log(1e-3))
    found[numpy.ix_(test, model.classes_)] = numpy.log(
        numpy.maximum(model.predict_proba(features[test]), 1e-3))
    keys = (windows.dataset + "/" + windows.recording).to_numpy()
    order = test[numpy.lexsort((windows.end.to_numpy()[test], keys[test]))]
    chains = numpy.split(order, numpy.flatnonzero(keys[order][1:] != keys[order][:-1]) + 1)
    places = windows.dataset.to_numpy()
    for backward in (False, True):
        best = None
        for dwell in DWELLS:
            rates = numpy.full((6, 6), 1 / dwell / 5)
            numpy.fill_diagonal(rates, -1 / dwell)
            for exponent in EXPONENTS:
                posteriors = decode(exponent * found, chains, expm(rates * HOP), backward)
                rows = [
                    (places[i], ACTIVITIES[labels[i]], ACTIVITIES[p.argmax()], p.max())
                    for i, p in zip(order, posteriors)]
                best = max(best or (0,), (recalls(rows)[0], rows))
        yield best[1]


def decode(log_likelihoods, chains, matrix, backward):
    """The posteriors of the filter, or of the smoother (Rabiner 1989, eq. 19 to 27)."""
    result = []
    for chain in chains:
        scores = log_likelihoods[chain]
        likelihoods = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        posterior = numpy.full(len(matrix), 1 / len(matrix))
        forward = numpy.zeros_like(likelihoods)
        for index, likelihood in enumerate(likelihoods):
            posterior = matrix @ posterior * likelihood
            posterior /= posterior.sum()
            forward[index] = posterior
        if backward:
            variable = numpy.ones(len(matrix))
            for index in reversed(range(len(chain))):
                forward[index] *= variable
                variable = matrix.T @ (likelihoods[index] * variable)
                variable /= variable.sum()
        result.append(forward / forward.sum(axis=1, keepdims=True))
    return numpy.concatenate(result)


def read(path):
    """The windows as they were recorded, their features and labels."""
    windows = pandas.read_csv(path, keep_default_na=False)
    windows = windows[windows.variant == ""].reset_index(drop=True)
    labels = windows.activity.map(ACTIVITIES.index).to_numpy()
    first, last = windows.columns.get_loc("speed") + 1, windows.columns.get_loc("score_stationary")
    return windows, windows.iloc[:, first:last].to_numpy(numpy.float32), labels


def compare(program, data, folds):
    """Trains and scores on each split."""
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        parts = list(splits(data, place)) if not folds else [
            ([other for other in folds if other != fold], [fold]) for fold in folds]
        everything = folds or [data / name for name in SETS + HALVED if (data / name).exists()]
        command = [program, "train", "--class", "other=none", "--fixes", data / "byke", "--dataset"]
        subprocess.run(
            [*command, *everything, "--out", place / "all.model", "--windows", place / "all.csv"],
            check=True, stdout=subprocess.DEVNULL)
        windows, features, labels = read(place / "all.csv")
        names = ["six", "five"] + [name[:7] for name in ACTIVITIES] + ["of .9", "ECE"]
        print(f"{'':24}" + "".join(f"{name:>8}" for name in names) + "  none of these, as travel")
        totals = collections.defaultdict(list)
        for number, (train, test) in enumerate(parts, 1):
            subprocess.run(
                [*command, *train, "--out", place / "model"], check=True, stdout=subprocess.DEVNULL)
            found = {}
            for title, mode, delay in (("live", "live", 0), ("in hindsight", "smoothed", 1.92)):
                told = answers(program, place / "model", test, mode)
                found[title] = [
                    (key[0], *second[1:]) for key, rows in told.items() for second in rows]
                found[title + ", at windows"] = list(at_windows(told, windows, delay))
            keys = {
                (folder.name.split("-")[0], recording)
                for folder in train for recording in stated(folder)}
            known = numpy.array([key in keys for key in zip(windows.dataset, windows.recording)])
            trees = zip(("forward, LightGBM", "and backward"), peer(windows, features, labels, known))
            for title, rows in [*found.items(), *trees]:
                totals[title].append(row(f"{number} {title}", rows))
        for title, figures in totals.items():
            means = numpy.nanmean(figures, axis=0)
            print(f"{title:24}" + "".join(f"{figure:8.3f}" for figure in means))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corrections", action="store_true")
    parser.add_argument(
        "--datasets", type=pathlib.Path,
        default=pathlib.Path(__file__).parents[2] / "shared/datasets")
    parser.add_argument("--folds", nargs="+", type=pathlib.Path, default=[])
    parser.add_argument("path", metavar="PROGRAM|WINDOWS.csv")
    arguments = parser.parse_args()
    if arguments.corrections:
        windows, features, labels = read(arguments.path)
        corrections(windows, features, labels, numpy.full(len(labels), True))
    else:
        compare(arguments.path, arguments.datasets, arguments.folds)
