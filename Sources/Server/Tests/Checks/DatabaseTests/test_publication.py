"""What somebody learns who has every publication: before and after one person has come or gone."""

import os
import threading
from datetime import date, timedelta

import psycopg
import pytest
from conftest import VIEWS, add_people

LEAST = 10
# A week and a month are due so many days after 1 June.
WEEK, MONTH = date(2026, 6, 15), date(2026, 7, 8)
AUGUST, SEPTEMBER = date(2026, 8, 1), date(2026, 9, 1)
# Of 120 people no coins choose fewer than 20: the chance is below 1e-13.
MANY = 120


def published(database):
    """All that an analyst sees, by view."""
    return {view: sorted(database.rows("analyst", f"SELECT * FROM analysis.{view}"), key=repr)
            for view in VIEWS}


def sample(database, kind="week"):
    """Whom the newest edition counts, which the analyst does not see."""
    return {user for user, in database.rows(
        "admin", "SELECT user_name FROM archive.sampled_people WHERE kind = %s AND NOT is_next",
        [kind])}


def choose(database, people, kind="week", period="2026-06-01"):
    """Makes an edition count these people, as if the coins had chosen them."""
    database.rows("admin", "DELETE FROM archive.sampled_people WHERE kind = %s", [kind])
    for user in people:
        database.rows("admin", "INSERT INTO archive.sampled_people VALUES (%s, %s, %s, false)",
                      [user, kind, period])


def test_a_period_is_published_a_week_after_its_end(empty):
    add_people(empty, MANY)
    assert empty.publish(WEEK - timedelta(1)) == 0
    assert all(rows == [] for rows in published(empty).values())
    assert empty.publish(WEEK) == 1
    assert empty.publish(WEEK) == 0
    seen = published(empty)
    assert len(seen["mode_share_per_week"]) == 1 and seen["trips_per_cell"] == []
    assert empty.publish(MONTH - timedelta(1)) == 0
    assert empty.publish(MONTH) == 1
    assert all(len(rows) > 0 for rows in published(empty).values())


def test_about_half_of_the_people_are_counted_exactly(empty):
    add_people(empty, MANY)
    empty.publish(MONTH)
    counted = len(sample(empty))
    assert 20 <= counted <= 100
    seen = published(empty)
    # Ten minutes and three kilometres by each, of whom the column `people` tells the number.
    assert seen["mode_share_per_week"] == [
        (date(2026, 6, 1), "cycling", counted, counted * 600, counted * 3000, 1)]
    months = len(sample(empty, "month"))
    assert {(row[3], row[4]) for row in seen["trips_per_cell"]} == {(months, months)}
    assert {row[3:7] for row in seen["dwell_per_cell"]} == {(months, months, months, 60)}


def test_nothing_is_seen_of_a_person_who_comes_or_goes_until_the_next_month(empty):
    add_people(empty, MANY)
    empty.add("eve", seconds=4321)
    empty.publish(MONTH)
    before = published(empty)
    empty.erase("eve")
    empty.add("late", seconds=54321, day=1)
    for day in range((AUGUST - MONTH).days):
        empty.publish(MONTH + timedelta(day))
        assert published(empty) == before


def test_an_edition_that_has_not_changed_is_not_made_again(empty):
    add_people(empty, MANY)
    empty.publish(MONTH)
    before = published(empty)
    for day in range(0, 400, 9):
        assert empty.publish(MONTH + timedelta(day)) == 0
    assert published(empty) == before


def test_an_erasure_takes_effect_on_the_first_of_the_next_month(empty):
    add_people(empty, MANY)
    empty.publish(MONTH)
    counted = sample(empty)
    empty.erase(min(counted))
    assert empty.publish(AUGUST) == 2
    # Not `published`: sums over equally many people of equal days are the same now and then.
    assert sample(empty) != counted
    # Later in the month: no more.
    empty.erase(max(counted))
    assert empty.publish(AUGUST + timedelta(30)) == 0
    assert empty.publish(SEPTEMBER) == 2
    # Those who are left are too few for anything.
    for number in range(MANY - 9):
        empty.erase(f"person {number}")
    empty.publish(date(2026, 10, 1))
    assert all(rows == [] for rows in published(empty).values())
    for number in range(MANY):
        empty.erase(f"person {number}")
    assert empty.publish(date(2026, 11, 1)) == 2
    assert sample(empty) == set()


def test_a_person_who_sends_the_same_days_again_is_another_change(empty):
    add_people(empty, MANY)
    empty.publish(MONTH)
    empty.erase("person 5")
    empty.add("person 5")
    empty.rows("admin", "UPDATE archive.days SET updated = now() WHERE user_name = 'person 5'")
    assert empty.publish(AUGUST) == 2


@pytest.mark.parametrize("change", ["erasure", "late arrival"])
def test_two_editions_differ_by_ten_people_at_least(empty, change):
    """Around a change by one person, month after month, in a cell of few people more than ten."""
    add_people(empty, 36)
    people = {f"person {number}" for number in range(36)}
    earlier, month, shown = None, MONTH, 0
    for step in range(14):
        assert empty.publish(month) == 2
        rows, counted = published(empty)["mode_share_per_week"], sample(empty)
        if earlier is not None:
            enough = len(counted) >= LEAST and len((counted ^ earlier) & people) >= LEAST
            assert (rows != []) == enough
            shown += enough
        assert all(row[2] == len(counted) for row in rows)
        if change == "erasure":
            empty.erase(f"person {step}")
            people.discard(f"person {step}")
        else:
            empty.add(f"person {step}", day=2)
        earlier = counted
        month = (month.replace(day=1) + timedelta(32)).replace(day=1)
    # Chances of more than 1/2 each.
    assert shown > 0


def test_a_cell_that_fewer_than_ten_have_changed_is_not_shown(empty):
    """With 19 people, ten who are counted differ from 19 or from none by nine or by ten."""
    add_people(empty, 19)
    everybody = [f"person {number}" for number in range(19)]
    empty.publish(MONTH)
    month = AUGUST
    for _ in range(8):
        choose(empty, everybody)
        choose(empty, everybody, "month")
        empty.rows("admin", "UPDATE archive.days SET revision = revision + 1")
        assert empty.publish(month) == 2
        assert all(rows == [] for rows in published(empty).values())
        month = (month + timedelta(32)).replace(day=1)


def test_who_has_changed_days_is_not_taken_for_a_difference(empty):
    """They may make none: in the cell, they may be new."""
    add_people(empty, MANY)
    empty.publish(MONTH)
    choose(empty, [f"person {number}" for number in range(MANY)])
    # All of them are counted before, and fewer than all after; but all their days are new.
    empty.rows("admin", "UPDATE archive.days SET updated = now(), revision = 2")
    empty.publish(AUGUST)
    assert len(sample(empty)) >= LEAST
    assert published(empty)["mode_share_per_week"] == []


def test_the_coins_are_thrown_anew(empty):
    """Two editions by the same people are two samples: equal ones have a chance of 2^-120."""
    add_people(empty, MANY)
    empty.publish(MONTH)
    weeks, months = sample(empty), sample(empty, "month")
    empty.rows("admin", "UPDATE archive.days SET revision = revision + 1")
    empty.publish(AUGUST)
    assert len({frozenset(each) for each in (
        weeks, months, sample(empty), sample(empty, "month"))}) == 4


@pytest.mark.parametrize("end", ["COMMIT", "ROLLBACK"])
def test_of_several_at_once_one_publishes(empty, end):
    add_people(empty, MANY)
    counts = []
    with psycopg.connect(os.environ["LOCOMOTION_DATABASE"], autocommit=True) as other:
        other.execute("BEGIN")
        assert other.execute("SELECT archive.publish_next(%s)", [MONTH]).fetchone() == (True,)
        assert published(empty)["mode_share_per_week"] == []
        thread = threading.Thread(target=lambda: counts.append(empty.publish(MONTH)))
        thread.start()
        # What the other has not finished is done again when it fails.
        other.execute(end)
    thread.join()
    assert counts == [1 if end == "COMMIT" else 2]


def test_an_erasure_waits_for_a_publication(empty):
    add_people(empty, MANY)
    with psycopg.connect(os.environ["LOCOMOTION_DATABASE"]) as other:
        other.execute("SELECT archive.publish_next(%s)", [MONTH])
        threads = [threading.Thread(target=erase, args=[f"person {number}"])
                   for number in range(6)]
        for thread in threads:
            thread.start()
        other.commit()
    for thread in threads:
        thread.join()
    left = empty.rows("admin", "SELECT count(*) FROM archive.users")
    assert left == [(MANY - 6,)]
    assert not sample(empty) & {f"person {number}" for number in range(6)}


def erase(user):
    """Erases a user as the collector does, through a connection of its own."""
    with psycopg.connect(os.environ["LOCOMOTION_DATABASE"]) as connection:
        connection.execute("SELECT set_config('locomotion.user', %s, true)", [user])
        connection.execute("""
            INSERT INTO archive.users (name) VALUES (%s)
            ON CONFLICT (name) DO UPDATE SET name = excluded.name WHERE false""", [user])
        connection.execute("DELETE FROM archive.users WHERE name = %s", [user])
