"""Connections to the server that Sources/Server/Tests/Setup/server.sh started, and invented people on it."""

import json
import os
from contextlib import contextmanager
from datetime import date, timedelta

import psycopg
import pytest

ROLES = {
    "owner": "LOCOMOTION_DATABASE_OWNER",
    "collector": "LOCOMOTION_DATABASE",
    "analyst": "LOCOMOTION_DATABASE_ANALYST",
    "admin": "LOCOMOTION_DATABASE_ADMIN",
}
MIDNIGHT = 1_780_272_000_000_000_000  # 2026-06-01, a Monday, UTC
DAY = 86_400 * 10**9
VIEWS = ["mode_share_per_week", "trips_per_cell", "dwell_per_cell"]


class Database:
    """What a test asks of the server, through one connection for each role."""

    def __init__(self):
        self.connections = {
            role: psycopg.connect(os.environ[name], autocommit=True)
            for role, name in ROLES.items()
        }

    @contextmanager
    def cursor(self, role, user=None):
        """A cursor of a role in a transaction, which is undone when an error ends it."""
        connection = self.connections[role]
        with connection.transaction(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL search_path = public")
            if user is not None:
                cursor.execute("SELECT set_config('locomotion.user', %s, true)", [user])
            yield cursor

    def rows(self, role, sql, values=None, user=None):
        """The rows that a statement returns."""
        with self.cursor(role, user) as cursor:
            cursor.execute(sql, values)
            return cursor.fetchall() if cursor.description else []

    def add(self, user, device="0", day=0, *, activity="cycling", seconds=600, distance=3000,
            place=(47.37, 8.54), way=((47.37, 8.54), (47.39, 8.54)), primary=True):
        """Stores a day with a stay, a trip and its leg, as the collector does."""
        device = device * 32
        start = MIDNIGHT + day * DAY
        at = date(2026, 6, 1) + timedelta(day)
        line = None
        if way:
            line = "LINESTRING(" + ", ".join(f"{lon} {lat}" for lat, lon in way) + ")"
        key = (user, device, at)
        with self.cursor("collector", user) as cursor:
            cursor.execute(
                "INSERT INTO archive.users (name) VALUES (%s) ON CONFLICT DO NOTHING", [user])
            cursor.execute(
                "INSERT INTO archive.devices (user_name, device) VALUES (%s, %s)"
                " ON CONFLICT DO NOTHING", [user, device])
            digest = f"{day:04x}".rjust(64, device[0])
            cursor.execute(
                "INSERT INTO archive.units VALUES (%s, %s, %s, %s, 1, %s, %s, 1, 1, 1, 1, 1, 1,"
                " true, 1, %s) ON CONFLICT DO NOTHING",
                [user, device, day, digest, start, start + 1, f"user={user}/{digest}"])
            cursor.execute(
                "INSERT INTO archive.withdrawn_units VALUES (%s, %s) ON CONFLICT DO NOTHING",
                [user, "e" * 64])
            # As if the user had been erased before.
            cursor.execute(
                "INSERT INTO archive.erased_users (name_digest)"
                " VALUES (archive.erasure_digest(%s)) ON CONFLICT DO NOTHING", [user])
            cursor.execute(
                "INSERT INTO archive.days (user_name, device, date, is_final, is_primary,"
                " time_zone, start_ns, end_ns, recorded_seconds, stay_seconds, distance, steps,"
                " json, updated) VALUES (%s, %s, %s, true, %s, 'UTC', %s, %s, 1, 1, %s, 0, %s, %s)",
                [*key, primary, start, start + DAY, distance, json.dumps([user]),
                 at + timedelta(1)])
            cursor.execute(
                "INSERT INTO archive.travel VALUES (%s, %s, %s, %s, %s, %s, 0)",
                [*key, activity, seconds, distance])
            item = (
                "INSERT INTO archive.items (user_name, device, date, number, kind, trip, start_ns,"
                " end_ns, activity, distance, position, path, place_name, is_corrected, is_partial)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, false, false)")
            point = f"POINT({place[1]} {place[0]})"
            cursor.execute(item, [*key, 0, "stay", None, start, start + 3600 * 10**9, None, None,
                                  point, None, user])
            for number, kind, trip in ((1, "trip", None), (2, "leg", 1)):
                cursor.execute(item, [*key, number, kind, trip, start + 3600 * 10**9,
                                      start + 4200 * 10**9, activity, distance, None, line, user])
            cursor.execute(
                "INSERT INTO archive.places VALUES (%s, %s, %s, %s, %s, 60, false)",
                [user, device, day, user, point])
            cursor.execute(
                "INSERT INTO archive.measurements VALUES (%s, %s, %s, %s, %s, NULL, 0, 0)",
                [user, device, day, user, start])

    def erase(self, user):
        """Deletes all rows of a user, as the collector does."""
        self.rows("collector", "DELETE FROM archive.users WHERE name = %s", [user], user=user)

    def publish(self, today):
        """Publishes what is due on a day; how many weeks and months that were."""
        count = 0
        while self.rows("collector", "SELECT archive.publish_next(%s)", [today]) == [(True,)]:
            count += 1
        return count

    def publish_everybody(self):
        """Publishes all weeks and months as if the coins had chosen everybody."""
        with self.cursor("admin") as cursor:
            for kind in ("week", "month"):
                cursor.execute("""
                    DELETE FROM archive.sampled_people;
                    INSERT INTO archive.sampled_people SELECT DISTINCT user_name, '{kind}',
                      date_trunc('{kind}', date::timestamp)::date FROM archive.days;
                    SELECT archive.publish_{kind}(period, true)
                    FROM (SELECT DISTINCT period FROM archive.sampled_people) AS periods
                    """.format(kind=kind))
            cursor.execute("DELETE FROM archive.sampled_people")


def add_people(database, count, first=0, **options):
    for number in range(first, first + count):
        database.add(f"person {number}", **options)


def clear(database):
    """Removes all users, that any was erased, and all that was published."""
    database.rows("admin", """
        DELETE FROM archive.users; DELETE FROM archive.erased_users; DELETE FROM archive.editions;
        DELETE FROM analysis.mode_share_per_week; DELETE FROM analysis.trips_per_cell;
        DELETE FROM analysis.dwell_per_cell""")


@pytest.fixture(scope="session")
def database():
    """The migrated database, in which earlier tests may have left rows."""
    database = Database()
    yield database
    for connection in database.connections.values():
        connection.close()


@pytest.fixture
def empty(database):
    """The same without any user."""
    clear(database)
    return database
