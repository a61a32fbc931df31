"""The questions of one person: right answers, by the spatial indexes, among many people."""

import re
from pathlib import Path

import pytest

PEOPLE, DAYS = 60, 100


@pytest.fixture(scope="module")
def city(database):
    """Many people with stays and ways in one city, in the same places."""
    database.rows("admin", "DELETE FROM archive.users")
    with database.cursor("admin") as cursor:
        cursor.execute(f"""
            INSERT INTO archive.users SELECT 'p' || n FROM generate_series(1, {PEOPLE}) AS n;
            INSERT INTO archive.devices SELECT name, repeat('0', 32) FROM archive.users;
            INSERT INTO archive.days (user_name, device, date, is_final, is_primary, time_zone,
              start_ns, end_ns, recorded_seconds, stay_seconds, steps, json)
            SELECT name, repeat('0', 32), date '2026-01-01' + n::integer, true, true, 'UTC',
              n * 86400000000000, (n + 1) * 86400000000000, 1, 1, 1, '[]'
            FROM archive.users, generate_series(0::bigint, {DAYS - 1}) AS n;
            SELECT setseed(0.5);
            INSERT INTO archive.items (user_name, device, date, number, kind, trip, start_ns,
              end_ns, position, path, is_corrected, is_partial)
            SELECT user_name, device, date, n, CASE n % 3 WHEN 0 THEN 'stay' WHEN 1 THEN 'trip'
                ELSE 'leg' END, CASE WHEN n % 3 = 2 THEN n - 1 END,
              start_ns + n * 1000000000000, start_ns + (n + 1) * 1000000000000,
              CASE WHEN n % 3 = 0 THEN ST_MakePoint(x, y)::geography END,
              CASE WHEN n % 3 > 0 THEN ST_MakeLine(ST_MakePoint(x, y),
                ST_MakePoint(x + 0.01, y + 0.01 * random()))::geography END, false, false
            FROM (
              SELECT *, 8 + random() AS x, 47 + random() AS y
              FROM (
                -- In one order, whatever was in the table before.
                SELECT * FROM archive.days, generate_series(0, 8) AS n ORDER BY user_name, date, n
              ) AS moment
            ) AS place;
            ANALYZE archive.items, archive.days, archive.users""")
    return database


def plans(database, query, user):
    """The rows of a question and the plans of all statements that it runs."""
    notices = []

    def note(notice):
        notices.append(notice.message_primary)

    with database.cursor("admin") as cursor:
        cursor.execute("""
            LOAD 'auto_explain'; SET LOCAL auto_explain.log_min_duration = 0;
            SET LOCAL auto_explain.log_nested_statements = on;
            SET LOCAL auto_explain.log_analyze = on; SET LOCAL auto_explain.log_timing = off;
            SET LOCAL client_min_messages = log; SET LOCAL jit = off""")
        cursor.execute("SET LOCAL ROLE locomotion_collector")
        cursor.execute("SELECT set_config('locomotion.user', %s, true)", [user])
        cursor.connection.add_notice_handler(note)
        cursor.execute(query)
        cursor.connection.remove_notice_handler(note)
        return cursor.fetchall(), "\n".join(notices)


def test_stays_near_a_point(city):
    found, plan = plans(
        city, "SELECT date, number, distance FROM archive.stays_near(47.5, 8.5, 3000)", "p7")
    expected = city.rows("admin", """
        SELECT date, number, ST_Distance(position, 'POINT(8.5 47.5)'::geography)
        FROM archive.items WHERE user_name = 'p7' AND kind = 'stay'
          AND ST_Distance(position, 'POINT(8.5 47.5)'::geography) <= 3000 ORDER BY 3""")
    assert 0 < len(found) < DAYS * 3 / 10
    assert found == expected
    assert re.search(r"Index (Only )?Scan using items_position|Bitmap Index Scan on items_position",
                     plan), plan
    assert "Seq Scan on items" not in plan, plan


def test_trips_through_a_polygon(city):
    area = "'POLYGON((8.4 47.4, 8.7 47.4, 8.7 47.7, 8.4 47.4))'::geography"
    found, plan = plans(
        city, f"SELECT date, number FROM archive.trips_through({area})", "p7")
    expected = city.rows("admin", f"""
        SELECT DISTINCT trip.date, trip.number
        FROM archive.items AS trip JOIN archive.items AS part
          ON part.user_name = trip.user_name AND part.date = trip.date
          AND coalesce(part.trip, part.number) = trip.number
        WHERE trip.user_name = 'p7' AND trip.kind = 'trip'
          AND ST_Distance(part.path, {area}) <= 0.00001 ORDER BY 1, 2""")
    assert 0 < len(found) < DAYS / 2
    assert found == expected
    assert re.search(r"Index Scan using items_path|Bitmap Index Scan on items_path", plan), plan
    assert "Seq Scan on items" not in plan, plan


def test_only_few_rows_are_read(city):
    """The index is by person and place: it passes over other people's rows in the same place."""
    _, plan = plans(city, "SELECT count(*) FROM archive.stays_near(47.5, 8.5, 3000)", "p7")
    read = [int(rows) for rows in re.findall(r"items_position.*?actual rows=(\d+)", plan)]
    assert read and max(read) < 3 * DAYS / 5


def test_an_area_over_the_antimeridian(empty):
    empty.add("ada", way=((-17, 179.9), (-17, -179.9)), place=(-17, 179.999))
    empty.add("ada", day=1, way=((-17, 170), (-17, 171)), place=(-17, 0))
    through = "SELECT date::text FROM archive.trips_through(%s::geography)"
    area = "POLYGON((179.95 -18, -179.95 -18, -179.95 -16, 179.95 -16, 179.95 -18))"
    assert empty.rows("collector", through, [area], user="ada") == [("2026-06-01",)]
    (day, distance), = empty.rows(
        "collector", "SELECT date::text, distance FROM archive.stays_near(-17, -179.999, 1000)",
        user="ada")
    assert day == "2026-06-01" and 150 < distance < 250


def test_a_way_of_one_point(empty):
    empty.add("ada", way=((47.5, 8.5), (47.5, 8.5)))
    through = "SELECT count(*) FROM archive.trips_through(%s::geography)"
    inside = "POLYGON((8 47, 9 47, 9 48, 8 48, 8 47))"
    outside = "POLYGON((9 47, 10 47, 10 48, 9 48, 9 47))"
    assert empty.rows("collector", through, [inside], user="ada") == [(1,)]
    assert empty.rows("collector", through, [outside], user="ada") == [(0,)]


def test_mode_share_of_a_person(empty):
    empty.add("ada", day=0, activity="cycling", seconds=600, distance=3000)
    empty.add("ada", day=6, activity="walking", seconds=1800, distance=None)
    empty.add("ada", day=7, activity="walking", seconds=0, distance=None)
    empty.add("ada", "1", day=0, activity="train", seconds=9999, primary=False)
    empty.add("ben", day=0, activity="train", seconds=9999)
    found = empty.rows(
        "collector", "SELECT week::text, activity, seconds, distance, share"
        " FROM archive.mode_share_per_week ORDER BY 1, 2", user="ada")
    assert found == [
        ("2026-06-01", "cycling", 600, 3000, 0.25),
        ("2026-06-01", "walking", 1800, None, 0.75),
        ("2026-06-08", "walking", 0, None, None),
    ]


# In the second, days up to 4 June would be in the week before.
@pytest.mark.parametrize("zone", ["UTC", "AAA0BBB-167,J155/0,J365/0", "Pacific/Kiritimati"])
def test_weeks_are_those_of_the_calendar(empty, zone):
    for day in (0, 3, 6, 7):
        empty.add("ada", day=day, seconds=100 + day)
    with empty.cursor("collector", "ada") as cursor:
        cursor.execute("SELECT set_config('TimeZone', %s, true)", [zone])
        cursor.execute("SELECT week::text, seconds FROM archive.mode_share_per_week ORDER BY 1")
        assert cursor.fetchall() == [("2026-06-01", 309), ("2026-06-08", 107)]


def test_the_storyline_of_a_date(empty):
    empty.add("ada")
    empty.add("ada", "1", primary=False, activity="train")
    found = empty.rows(
        "collector", "SELECT kind, trip, starts::text, seconds, activity FROM archive.storyline"
        " WHERE date = '2026-06-01' ORDER BY number", user="ada")
    assert found == [
        ("stay", None, "2026-06-01 00:00:00+00", 3600, None),
        ("trip", None, "2026-06-01 01:00:00+00", 600, "cycling"),
        ("leg", 1, "2026-06-01 01:00:00+00", 600, "cycling"),
    ]
    text = "SELECT archive.storyline_json('2026-06-01')"
    assert empty.rows("collector", text, user="ada") == [('["ada"]',)]
    assert empty.rows("collector", text, user="ben") == [(None,)]


def test_examples_of_the_documentation(empty):
    for number in range(10):
        empty.add(f"person {number}" if number else "ada", place=(47.3769, 8.5417))
    empty.publish_everybody()
    article = Path(__file__).parents[5] / "Sources/Server/LocomotionServer/Documentation.docc"
    text = (article / "Database.md").read_text()
    examples = re.findall(r"^```sql\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert examples and len(examples) == text.count("```sql")
    for example in examples:
        role = "analyst" if "analysis." in example else "collector"
        assert empty.rows(role, example, user="ada"), example
