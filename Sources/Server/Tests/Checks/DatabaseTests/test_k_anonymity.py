"""Cells of fewer than ten people are not there, however one asks."""

import pytest
from conftest import VIEWS, add_people


def asked(database, view, columns="*", condition="true"):
    database.publish_everybody()
    return database.rows("analyst", f"SELECT {columns} FROM analysis.{view} WHERE {condition}")


@pytest.mark.parametrize("count", [1, 9, 10, 11])
def test_ten_people_make_a_cell(empty, count):
    add_people(empty, count)
    for view in VIEWS:
        people = {people for people, in asked(empty, view, "people")}
        assert people == ({count} if count >= 10 else set()), view


def test_one_person_often_is_one_person(empty):
    for day in range(12):
        for device in "ab":
            empty.add("one", device, day)
    add_people(empty, 8)
    assert [asked(empty, view) for view in VIEWS] == [[], [], []]


def test_nobody_makes_up_a_sum(empty):
    add_people(empty, 11, seconds=600, distance=1000)
    for day in range(7):
        empty.add("one", day=day, seconds=80000, distance=500000)
    assert asked(empty, "mode_share_per_week", "people, seconds, distance") == [(12, 7200, 12000)]
    assert {trips for trips, in asked(empty, "trips_per_cell", "trips")} == {12}
    assert asked(empty, "dwell_per_cell", "people, stays, hours, mean_minutes") == [
        (12, 12, 12, 60)]


def test_secondary_devices_do_not_count(empty):
    add_people(empty, 10, primary=False)
    assert [asked(empty, view) for view in VIEWS] == [[], [], []]


def test_who_does_not_travel_is_nobody_in_the_share(empty):
    add_people(empty, 9)
    add_people(empty, 5, first=9, seconds=0)
    assert asked(empty, "mode_share_per_week") == []


def test_shares_do_not_tell_what_is_missing(empty):
    add_people(empty, 10, activity="cycling", seconds=600)
    add_people(empty, 10, first=10, activity="walking", seconds=1800)
    add_people(empty, 9, first=20, activity="train", seconds=1000)
    found = asked(empty, "mode_share_per_week", "activity, people, seconds, share")
    assert found == [("cycling", 10, 6000, 0.25), ("walking", 10, 18000, 0.75)]


def test_a_distance_of_fewer_is_unknown(empty):
    add_people(empty, 9, distance=1000)
    add_people(empty, 1, first=9, distance=None)
    assert asked(empty, "mode_share_per_week", "people, distance") == [(10, None)]
    add_people(empty, 1, first=10, distance=1000)
    assert asked(empty, "mode_share_per_week", "people, distance") == [(11, 10000)]


def test_weeks_begin_on_monday_and_are_apart(empty):
    add_people(empty, 10, day=6)
    add_people(empty, 9, first=10, day=7)
    found = asked(empty, "mode_share_per_week", "week::text, people")
    assert found == [("2026-06-01", 10)]


def test_a_cell_that_nine_share_is_not_in_the_way_of_ten(empty):
    add_people(empty, 9, way=((47.375, 8.545), (47.395, 8.545)))
    add_people(empty, 1, first=9, way=((47.385, 8.545), (47.395, 8.545)))
    found = asked(empty, "trips_per_cell", "round(latitude::numeric, 3)::text, people, trips")
    assert sorted(found) == [("47.385", 10, 10), ("47.395", 10, 10)]


def test_a_way_is_in_every_cell_that_it_crosses(empty):
    add_people(empty, 10, way=((47.301, 8.545), (47.399, 8.545)))
    found = asked(empty, "trips_per_cell", "latitude, longitude, trips, ST_AsText(cell)")
    assert len(found) == 10
    assert {trips for _, _, trips, _ in found} == {10}
    assert all(abs(longitude - 8.545) < 1e-9 for _, longitude, _, _ in found)


@pytest.mark.parametrize("place", [(90, 180), (-90, -180), (0, 180), (89.999, -0.001)])
def test_cells_at_the_ends_of_the_grid(empty, place):
    add_people(empty, 10, place=place, way=None)
    (latitude, longitude, stays, minutes), = asked(
        empty, "dwell_per_cell", "latitude, longitude, stays, mean_minutes")
    assert abs(latitude - place[0]) < 0.0100001 and abs(longitude - place[1]) < 0.0100001
    assert (stays, minutes) == (10, 60)


@pytest.mark.parametrize("view", VIEWS)
def test_conditions_are_tried_on_what_is_shown_only(empty, view):
    add_people(empty, 9)
    # It would divide by zero on any row.
    for condition in ("1 / (people * 0) = 1", "people::text::geography IS NULL"):
        assert asked(empty, view, condition=condition) == []
    plan = empty.rows(
        "analyst", f"EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF) SELECT * FROM analysis.{view}")
    text = "\n".join(line for line, in plan)
    assert "archive." not in text and "Removed" not in text


@pytest.mark.parametrize("view", VIEWS)
def test_views_have_no_identities(empty, view):
    add_people(empty, 12)
    empty.publish_everybody()
    found = empty.rows("analyst", f"SELECT row::text FROM analysis.{view} AS row")
    assert found
    assert not any("person" in text or "0" * 32 in text for text, in found)
