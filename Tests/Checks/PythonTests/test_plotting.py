"""Plots of days: the values of the command, metres on the map, times of day."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import Command, panel_labels

import locomotion
from locomotion import Day

pytest.importorskip("matplotlib")


def test_plot_has_the_values_of_the_command(command: Command, day: Day[Any]) -> None:
    figure: Any = day.plot()
    assert panel_labels(figure) == ["", "north", "speed", "cadence"]
    strip, track, speed, cadence = figure.axes
    known = [row for row in command.rows("locate.csv") if row["speed"]]
    line = speed.lines[0]
    assert line.get_xdata().tolist() == [float(row["t"]) for row in known]
    assert line.get_ydata().tolist() == [float(row["speed"]) * 3.6 for row in known]
    cadences = [float(row["cadence"] or "nan") for row in command.rows("cadence.csv")]
    np.testing.assert_array_equal(cadence.lines[0].get_ydata(), cadences)
    assert track.get_aspect() == 1
    pieces = [part for item in command.items() for part in item.get("legs", [item])]
    assert [(box.get_x(), box.get_x() + box.get_width()) for box in strip.patches] == [
        (part["start"], part["end"]) for part in pieces
    ]
    kinds = dict.fromkeys(part.get("activity", part.get("type")) for part in pieces)
    assert [text.get_text() for text in strip.get_legend().get_texts()] == list(kinds)
    figure.savefig(io.BytesIO(), format="png")


def test_map_is_in_metres(command: Command, day: Day[Any]) -> None:
    track = day.plot().axes[1]
    circle: Any = track.patches[0]
    assert len(track.patches) == 1
    (stay,) = [item for item in command.items() if item["type"] == "stay"]
    assert circle.get_radius() == stay["radius"]
    assert track.get_xlabel() == "east, m"
    # The person walks and drives due east: the legs are as long as the command says.
    for leg, number in zip(command.items()[1]["legs"], (0, 1), strict=True):
        line = [line for line in track.lines if line.get_marker() == "None"][number]
        length = np.hypot(np.diff(line.get_xdata()), np.diff(line.get_ydata())).sum()
        # One fix's error at either end.
        assert length == pytest.approx(leg["distance"], abs=20)


def test_missing_positions_are_not_drawn_as_a_leg(day: Day[Any]) -> None:
    line = [[11.5 + step * 1e-5, 48.0] for step in range(40)]
    line += [[11.6 + step * 1e-5, 48.0] for step in range(40)]
    track = {
        "type": "Feature",
        "geometry": {"type": "LineString", "coordinates": line},
        "properties": {"type": "trip", "activity": "walking", "start": 0, "end": 80},
    }
    other = copy.copy(day)
    other.__dict__["geojson"] = {"type": "FeatureCollection", "features": [track]}
    lines: list[Any] = other.plot().axes[1].lines[:2]
    leap, leg = lines
    assert len(leap.get_xdata()) == 2
    assert np.flatnonzero(np.isnan(leg.get_xdata())).tolist() == [40]
    # 0.0996 degrees of longitude at 48° N, on the mean sphere.
    assert np.ptp(leap.get_xdata()) == pytest.approx(0.09961 * 74_404, rel=1e-3)


def test_track_across_the_antimeridian_is_drawn_in_one_place(
    write: Callable[[str, str], str],
) -> None:
    rows = []
    for second in range(300):
        longitude = 179.99 + second * 1e-4
        longitude -= 360 if longitude > 180 else 0
        rows.append(f"{second},10,{longitude:.6f},0,5,11,90\n")
    found = locomotion.analyze(
        write("east.gps.csv", "t,lat,lon,alt,hacc,speed,course\n" + "".join(rows))
    )
    east = np.concatenate([line.get_xdata() for line in found.plot().axes[1].lines])
    assert 3000 < np.nanmax(east) - np.nanmin(east) < 3500


def test_plot_uses_the_figure_that_is_given(day: Day[Any]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 9), layout="constrained")
    halves: Any = figure.subfigures(1, 2)
    left, right = halves
    assert day.plot(left) is left
    assert len(left.axes) == 4
    assert right.axes == []
    assert day.plot(right) is right
    figure.savefig(io.BytesIO(), format="png")


def test_new_figure_is_shown_by_a_notebook_and_unknown_to_pyplot(day: Day[Any]) -> None:
    from matplotlib import pyplot

    before = pyplot.get_fignums()
    figure: Any = day.plot()
    assert figure._repr_png_().startswith(b"\x89PNG\r\n")
    assert pyplot.get_fignums() == before


def test_times_of_day_are_those_of_the_zone(unix_command: Command) -> None:
    figure: Any = locomotion.analyze(unix_command.recording).plot(time_zone="Europe/Berlin")
    figure.canvas.draw()
    panel = figure.axes[-1]
    assert panel.get_xlabel() == "time of day, Europe/Berlin"
    ticks = [text.get_text() for text in panel.get_xticklabels()]
    assert "08:45" in ticks
    utc: Any = locomotion.analyze(unix_command.recording).plot()
    utc.canvas.draw()
    assert "06:45" in [text.get_text() for text in utc.axes[-1].get_xticklabels()]


def test_unknown_time_zone_is_refused(day: Day[Any]) -> None:
    with pytest.raises(KeyError, match="Europe/Nowhere"):
        day.plot(time_zone="Europe/Nowhere")
