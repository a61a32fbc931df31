"""The command ``python -m locomotion.fleet``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from ..errors import LocomotionError
from .rules import LEAST_PEOPLE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, and return its exit status: that of ``locomotion`` at the same error."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except LocomotionError as error:
        print(f"locomotion.fleet: {error}", file=sys.stderr)
        return error.status
    except ImportError as error:
        print(f"locomotion.fleet: {error}: install swift-locomotion[fleet]", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"locomotion.fleet: {error}", file=sys.stderr)
        return 74


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m locomotion.fleet",
        description="Analyzes the recordings of many people, and trains on them, on Spark or on "
        "this machine.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    analyze = commands.add_parser("analyze", help="tables of seconds, fixes, items and days")
    analyze.add_argument("archive", metavar="ARCHIVE", help="recordings, Parquet or units")
    analyze.add_argument("out", metavar="OUT", help="where the tables go")
    _add_engine(analyze)
    analyze.set_defaults(run=_analyze)

    report = commands.add_parser("report", help="a page on people and weeks")
    report.add_argument("out", metavar="OUT", help="the tables")
    report.add_argument("--html", metavar="FILE", help="the page (default: OUT/report.html)")
    report.add_argument(
        "--fewest", type=int, default=LEAST_PEOPLE, metavar="K",
        help="cells with fewer people are not shown (default: %(default)s)",
    )  # fmt: skip
    report.set_defaults(run=_report)

    evaluate = commands.add_parser("evaluate", help="scores against labels, by person")
    evaluate.add_argument("sets", metavar="SET", nargs="+", help="labelled data sets")
    evaluate.add_argument("--html", metavar="FILE", required=True, help="the page")
    evaluate.add_argument("--model", metavar="FILE", help="instead of the built-in model")
    evaluate.add_argument(
        "--seed", type=int, default=1, help="of the resampling of people (default: 1)"
    )
    _add_engine(evaluate)
    evaluate.set_defaults(run=_evaluate)

    train = commands.add_parser(
        "train",
        help="a model of labelled sets, by sums over people",
        description="Trains the model that 'locomotion train' trains on the same sets: windows and "
        "their sums are computed in tasks, and the equations are solved once. Prints the model's "
        "card. Damaged recordings are set aside.",
    )
    train.add_argument("sets", metavar="SET", nargs="+", help="labelled data sets")
    train.add_argument("--out", metavar="MODEL", required=True, help="the model's file")
    train.add_argument(
        "--leave-one-person-out", action="store_true",
        help="print for each person how many windows a model trained without them has right",
    )  # fmt: skip
    train.add_argument("--json", metavar="FILE", help="the report as JSON")
    train.add_argument("--seed", type=int, default=1, help="of all that is random (default: 1)")
    train.add_argument(
        "--as-recorded", action="store_true", help="without altered copies of the recordings"
    )
    _add_engine(train)
    train.set_defaults(run=_train)
    return parser


def _add_engine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--master", default="none", metavar="URL",
        help="Spark's master, 'default' for that of spark-submit, or 'none' for processes of this "
        "machine (default: none)",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", type=int, metavar="N", help="processes with 'none' (default: one per core)"
    )


def _analyze(options: argparse.Namespace) -> int:
    from .analyze import analyze

    summary = analyze(options.archive, options.out, master=options.master, jobs=options.jobs)
    print(
        f"{summary.people} people, {summary.done_before} of them done before: {summary.days} days, "
        f"{summary.seconds} seconds, {summary.rejected} recordings set aside"
    )
    if summary.named:
        print(
            f"activities expected to be right: {100 * summary.expected_right / summary.named:.1f} %; "
            "seconds unlike what the model was trained on: "
            f"{100 * summary.novel / summary.seconds:.1f} %"
        )
    return 0


def _report(options: argparse.Namespace) -> int:
    from .report import report

    print(report(options.out, html=options.html, fewest=options.fewest))
    return 0


def _evaluate(options: argparse.Namespace) -> int:
    from .evaluate import evaluate

    print(
        evaluate(
            options.sets,
            html=options.html,
            model=options.model,
            seed=options.seed,
            master=options.master,
            jobs=options.jobs,
        )
    )
    return 0


def _train(options: argparse.Namespace) -> int:
    from .train import scores_by_person, train

    trained = train(
        options.sets,
        out=options.out,
        seed=options.seed,
        is_altered=not options.as_recorded,
        master=options.master,
        jobs=options.jobs,
    )
    for path, reason in trained.rejected:
        print(f"set aside: {path}: {reason}", file=sys.stderr)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(trained.scores, file, indent=1, sort_keys=True)
    print(trained.report)
    if options.leave_one_person_out:
        print("\n== Each person by a model trained without them: single windows, live ==")
        print("\n".join(scores_by_person(trained)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
