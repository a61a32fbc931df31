"""Answers do not depend on what a session has set."""

import os

import psycopg
import pytest

from conftest import clear

SETTINGS = {
    "TimeZone": ["UTC", "AAA0BBB-167,J155/0,J365/0", "AAA167BBB-167,J1/0,J365/0",
                 "Pacific/Kiritimati", "Etc/GMT+12"],
    "DateStyle": ["ISO, DMY", "German", "SQL, MDY", "Postgres, YMD"],
    "IntervalStyle": ["sql_standard", "iso_8601", "postgres_verbose"],
    "extra_float_digits": ["-15", "0", "3"],
    "search_path": ["", "archive, analysis", "pg_temp, public", "analysis, pg_catalog"],
    "bytea_output": ["escape"],
    "lc_monetary": ["C", "POSIX"],
    "lc_numeric": ["C", "POSIX"],
    "lc_time": ["C", "POSIX"],
    "array_nulls": ["off"],
    "transform_null_equals": ["on"],
    "row_security": ["on"],
    "quote_all_identifiers": ["on"],
    "backslash_quote": ["off"],
    "timezone_abbreviations": ["Australia", "India"],
    "xmlbinary": ["hex"],
    "default_text_search_config": ["simple"],
    "plan_cache_mode": ["force_generic_plan", "force_custom_plan"],
    "enable_hashagg": ["off"],
    "enable_sort": ["off"],
    "enable_nestloop": ["off"],
    "enable_indexscan": ["off"],
    "jit": ["on", "off"],
    "default_transaction_isolation": ["serializable", "repeatable read"],
    "locomotion.user": ["person 1"],
}
# As each role, all relations and the functions with arguments.
ASKED = {
    "ANALYST": ["analysis.mode_share_per_week", "analysis.trips_per_cell",
                "analysis.dwell_per_cell"],
    "COLLECTOR": ["archive.daily_totals", "archive.storyline", "archive.mode_share_per_week",
                  "archive.days", "archive.travel", "archive.items",
                  "archive.stays_near(47.37, 8.54, 1e6)",
                  "archive.trips_through('POLYGON((8 47, 9 47, 9 48, 8 47))'::{}geography)",
                  "archive.storyline_json('2026-06-04'::date)",
                  "archive.keys_near('POINT(8.54 47.37)'::{}geography, 1e6)",
                  "archive.keys_through('POLYGON((8 47, 9 47, 9 48, 8 47))'::{}geography)"],
    "OWNER": ["archive.list_users()"],
}


# A Thursday, a Sunday and the day after it, and the last and the first day of a month.
DAYS = (3, 6, 7, 29, 30)
# Of 80 people coins choose fewer than ten with a chance of 1e-12.
PEOPLE = 80


@pytest.fixture(scope="module")
def people(database):
    """People with the same days."""
    clear(database)
    for number in range(PEOPLE):
        for day in DAYS:
            database.add(f"person {number}", day=day)
    return database


def address(role):
    return os.environ["LOCOMOTION_DATABASE" + {"COLLECTOR": ""}.get(role, "_" + role)]


def answers(role, setting=None, value=None):
    """The bytes of all answers to a role, in the form that no setting has a part in."""
    found = []
    with psycopg.connect(address(role), autocommit=True) as connection:
        connection.execute("SELECT set_config('locomotion.user', 'person 3', false)")
        if setting is not None and (role, setting) != ("COLLECTOR", "locomotion.user"):
            connection.execute("SELECT set_config(%s, %s, false)", [setting, value])
        for relation in ASKED[role]:
            cursor = connection.cursor(binary=True)
            cursor.execute("SELECT * FROM " + relation.format("public."))
            result = cursor.pgresult
            found.append((relation, sorted(
                tuple(result.get_value(row, column) for column in range(result.nfields))
                for row in range(result.ntuples))))
    return found


def test_all_relations_and_functions_of_the_analyst_are_asked(people):
    names = {f"analysis.{name}" for name, in people.rows("admin", """
        SELECT relname FROM pg_class WHERE relnamespace = 'analysis'::regnamespace
          AND relkind IN ('r', 'v', 'm')""")}
    assert names == set(ASKED["ANALYST"])
    callable_ones = people.rows("admin", """
        SELECT oid::regprocedure::text FROM pg_proc
        WHERE pronamespace IN ('archive'::regnamespace, 'analysis'::regnamespace)
          AND has_function_privilege('locomotion_analyst', oid, 'EXECUTE')""")
    assert callable_ones == []


@pytest.mark.parametrize("role", sorted(ASKED))
def test_answers_do_not_depend_on_settings(people, role):
    people.publish_everybody()
    expected = answers(role)
    assert all(rows for _, rows in expected)
    for setting, values in SETTINGS.items():
        for value in values:
            assert answers(role, setting, value) == expected, (setting, value)


@pytest.mark.parametrize("setting", sorted(SETTINGS))
def test_what_is_published_does_not_depend_on_settings(people, setting):
    for value in SETTINGS[setting]:
        people.rows("admin", "DELETE FROM archive.editions; DELETE FROM archive.sampled_people;"
                    " DELETE FROM analysis.mode_share_per_week;"
                    " DELETE FROM analysis.trips_per_cell; DELETE FROM analysis.dwell_per_cell")
        with psycopg.connect(address("COLLECTOR"), autocommit=True) as connection:
            connection.execute("SELECT set_config(%s, %s, false)", [setting, value])
            while connection.execute("SELECT archive.publish_next()").fetchone() == (True,):
                pass
        # By each who is counted, of whom the coins choose another number each time.
        assert people.rows("analyst", """
            SELECT week::text, activity, seconds / people, distance / people, share
            FROM analysis.mode_share_per_week ORDER BY 1""") == [
                ("2026-06-01", "cycling", 1200, 6000, 1),
                ("2026-06-08", "cycling", 600, 3000, 1),
                ("2026-06-29", "cycling", 1200, 6000, 1)], value
        for month, days in (("2026-06-01", 4), ("2026-07-01", 1)):
            assert people.rows("analyst", """
                SELECT round(latitude::numeric, 3)::text, longitude, trips / people
                FROM analysis.trips_per_cell WHERE month = %s ORDER BY 1""", [month]) == [
                    (latitude, 8.545, days) for latitude in ("47.375", "47.385")], value
            assert people.rows("analyst", """
                SELECT latitude, longitude, stays / people, hours / people, mean_minutes
                FROM analysis.dwell_per_cell WHERE month = %s""", [month]) == [
                    (47.375, 8.545, days, days, 60)], value
