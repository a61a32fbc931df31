"""Everything that the catalogue names, tried as somebody else, as nobody and as the analyst."""

import itertools
import os

import psycopg
import pytest
from psycopg import errors

from conftest import clear

RELATIONS = """
    SELECT nspname, relname, relkind::text, relrowsecurity, relforcerowsecurity,
      coalesce(array_to_string(reloptions, ','), ''), pg_get_userbyid(relowner)
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname IN ('archive', 'analysis') AND relkind IN ('r', 'v', 'm', 'p', 'f', 'S')
    ORDER BY 1, 2
"""
FUNCTIONS = """
    SELECT nspname, proname, oidvectortypes(proargtypes), prosecdef, pg_get_userbyid(proowner),
      coalesce(array_to_string(proconfig, ';'), ''), coalesce(proacl::text, 'public'),
      provolatile::text
    FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
    WHERE nspname IN ('archive', 'analysis') ORDER BY 1, 2
"""
# Arguments that match everything that there is, for each type of a parameter.
WIDE = {
    "geography": "'POLYGON((8 47, 9 47, 9 48, 8 48, 8 47))'::geography",
    "double precision": "47.37",
    "date": "'2026-06-01'::date",
    "bigint": "0",
    "boolean": "true",
    "double precision[]": "'{3, 2, 1}'::double precision[]",
    "regprocedure": "'archive.keys_near'::regproc",
    "text": "'week'",
    "json": "'{}'::json",
}
SPECIAL = {
    "stays_near": "47.37, 8.54, 1e7",
    "keys_near": "'POINT(8.54 47.37)'::geography, 1e7",
    "cell": "47.37, 8.54",
    "erasure_digest": "'ada'",
    "sampled_days": "'week', '2026-06-01', '2026-06-08'",
    "way": "'[8.5,47.3]'",
    "items_of": "'[]'",
    "expected_right": "'[]'",
    "remove_day": "'ada lovelace', '00000000000000000000000000000000', '2026-06-01'",
}
USER_TABLES = {
    "users", "devices", "units", "withdrawn_units", "measurements", "places", "days", "travel",
    "items", "sampled_people", "erased_users"}
# Without rows of users.
OTHER_TABLES = {"schema_migrations", "editions", "erasure_key"}
# With the user's name.
NAMED_TABLES = USER_TABLES - {"erased_users"}
# What the collector only reads of its users: publications write it.
READ_ONLY = {"sampled_people"}
PUBLISHED = {"mode_share_per_week", "trips_per_cell", "dwell_per_cell"}
# Settings by which a caller could change what a function with other rights answers.
FIXED = {
    "TimeZone=UTC", "DateStyle=ISO, YMD", "IntervalStyle=postgres", "extra_float_digits=1",
    "bytea_output=hex", "lc_monetary=C", "lc_numeric=C", "lc_time=C", "array_nulls=on",
    "transform_null_equals=off", "row_security=on", "search_path=pg_catalog, public, pg_temp"}
# Functions whose answers are not rows of people.
WITHOUT_ROWS = {
    "cell", "cells", "instant", "least_people", "capped_sum", "fingerprint", "roles_version",
    "publish_week", "publish_month", "publish_next", "seal", "erasure_digest", "seconds", "way",
    "items_of", "choose_primary", "remove_day", "expected_right"}
FOR_COLLECTOR = {
    "cell", "cells", "instant", "keys_near", "keys_through", "stays_near", "trips_through",
    "storyline_json", "publish_next", "roles_version", "erasure_digest", "unfinished_users",
    "seconds", "way", "items_of", "choose_primary", "store_day", "remove_day", "expected_right"}
# Functions that write; the others' answers depend on rows alone, or on nothing.
WRITING = {"publish_week", "publish_month", "publish_next", "seal", "choose_primary", "store_day",
           "remove_day"}
# Functions that tell of others, or by which one stands in their way, in whatever table.
GLOBAL = """
    SELECT oid, oid::regprocedure::text FROM pg_proc
    WHERE proname ~ '^(pg_(try_)?advisory|lo_|loread|lowrite|pg_lock|pg_.*blocking|pg_stat_get'
        '|pg_logical_emit|pg_.*_size$|_postgis_.*(stat|select|extent))' AND proname <> 'pg_column_size'
      OR prosecdef AND pronamespace <> 'archive'::regnamespace
"""
ADA, BEN = "ada lovelace", "ben o'hara"


@pytest.fixture(scope="module")
def people(database):
    """Ada and Ben, each with a day, of whom both are counted in a publication."""
    clear(database)
    database.add(ADA)
    database.add(BEN)
    database.rows("admin", """
        INSERT INTO archive.sampled_people
        SELECT user_name, 'week', date, false FROM archive.days""")
    return database


def relations(database):
    return database.rows("admin", RELATIONS)


def functions(database):
    return database.rows("admin", FUNCTIONS)


def call(schema, name, types):
    """A call of a function whose answer covers all that there is."""
    given = SPECIAL.get(name) or ", ".join(WIDE[part] for part in types.split(", ") if part)
    return f"{schema}.{name}({given})"


def named(name):
    """The column of a table that has the user's name."""
    return "name" if name == "users" else "user_name"


def rows_of_users(database):
    """All that is in the tables with the user's name."""
    return {name: database.rows("admin", f"SELECT row::text FROM archive.{name} AS row ORDER BY 1")
            for name in NAMED_TABLES}


def test_the_catalogue_is_as_told(people):
    names = {(schema, name) for schema, name, *_ in relations(people)}
    assert {name for schema, name in names if schema == "archive"} == USER_TABLES | OTHER_TABLES | {
        "daily_totals", "storyline", "mode_share_per_week"}
    assert {name for schema, name in names if schema == "analysis"} == PUBLISHED
    for schema, name, kind, secured, forced, options, owner in relations(people):
        assert owner == "locomotion_owner", name
        if kind == "v":
            assert "security_invoker=true" in options, name
        else:
            assert kind == "r"
            assert (secured, forced) == ((name in USER_TABLES,) * 2), name
            assert (schema == "analysis") == (name in PUBLISHED), name
    columns = people.rows("admin", """
        SELECT table_name FROM information_schema.columns
        WHERE table_schema = 'archive' AND column_name IN ('user_name', 'device')""")
    tables = {name for _, name, kind, *_ in relations(people) if kind == "r"}
    assert {name for name, in columns} & tables <= USER_TABLES


def test_functions_with_other_rights_are_few_and_closed(people):
    definers = {}
    for schema, name, _, definer, owner, settings, access, volatility in functions(people):
        # '=X' without a role before it is the right of everybody.
        assert access != "public" and "{=X" not in access and ",=X" not in access, name
        assert (volatility == "v") == (name in WRITING), name
        if name in ("seal", "roles_version"):
            assert owner == "admin" and definer == (name == "seal")
            assert settings == ("search_path=pg_catalog, pg_temp" if definer else "")
        elif definer:
            definers[name] = owner
            assert set(settings.split(";")) >= FIXED, name
        else:
            assert owner == "locomotion_owner", name
    assert definers == dict.fromkeys([
        "keys_near", "keys_through", "list_users", "publish_next", "unfinished_users"], "locomotion_aggregator")


@pytest.mark.parametrize("role", ["locomotion_analyst", "locomotion_collector", "locomotion_owner"])
def test_what_belongs_to_the_server_is_closed(people, role):
    known = people.rows("admin", GLOBAL)
    assert len(known) > 100
    allowed = people.rows("admin", f"""
        SELECT name FROM ({GLOBAL}) AS known (function, name)
        WHERE has_function_privilege('{role}', function, 'EXECUTE')""")
    assert allowed == []
    columns = people.rows("admin", f"""
        SELECT attname FROM pg_attribute WHERE attrelid = 'pg_class'::regclass
          AND NOT has_column_privilege('{role}', attrelid, attnum, 'SELECT') ORDER BY 1""")
    assert columns == [("relallvisible",), ("relpages",), ("reltuples",)]


def test_only_functions_of_the_archive_are_given_other_rights(people):
    people.rows("admin", "CREATE FUNCTION public.f() RETURNS int LANGUAGE sql RETURN 1")
    try:
        for function in ("public.f()", "pg_catalog.pg_ls_waldir()", "archive.seal(regprocedure)"):
            with pytest.raises(errors.InsufficientPrivilege):
                people.rows("owner", "SELECT archive.seal(%s::regprocedure)", [function])
    finally:
        people.rows("admin", "DROP FUNCTION public.f()")


def test_roles_have_no_more_than_they_need(people):
    roles = people.rows("admin", """
        SELECT rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
          rolcanlogin, rolconnlimit
        FROM pg_roles WHERE rolname LIKE 'locomotion%' ORDER BY 1""")
    assert roles == [
        ("locomotion_aggregator", False, False, False, False, True, False, -1),
        ("locomotion_analyst", False, False, False, False, False, True, 10),
        ("locomotion_collector", False, False, False, False, False, True, -1),
        ("locomotion_owner", False, False, False, False, False, True, -1),
    ]
    members = people.rows("admin", """
        SELECT pg_get_userbyid(roleid), pg_get_userbyid(member) FROM pg_auth_members
        WHERE pg_get_userbyid(member) LIKE 'locomotion%'""")
    assert members == []
    for role in ("owner", "collector", "analyst"):
        with pytest.raises(errors.InsufficientPrivilege):
            people.rows(role, "SET ROLE locomotion_aggregator")


def test_each_sees_all_of_their_own(people):
    own = [name for schema, name, *_ in relations(people)
           if schema == "archive" and name not in OTHER_TABLES]
    for name, user in itertools.product(own, (ADA, BEN)):
        found = people.rows("collector", f"SELECT * FROM archive.{name}", user=user)
        assert len(found) == {"items": 3, "storyline": 3}.get(name, 1), name


@pytest.mark.parametrize("role", ["collector", "owner"])
@pytest.mark.parametrize("user", [
    None, "", " ", BEN, "ada", "ADA LOVELACE", "ada lovelace ", "ada%", "%", "NULL", "' OR true--"])
def test_no_relation_shows_anothers_rows(people, role, user):
    tried = 0
    for schema, name, *_ in relations(people):
        if (role, schema) == ("collector", "analysis") or (role, name) == ("collector", "editions"):
            continue
        found = people.rows(role, f"SELECT row::text FROM {schema}.{name} AS row", user=user)
        tried += 1
        if schema == "analysis":
            # The owner's; two people are too few for any cell.
            assert found == []
        elif name not in OTHER_TABLES:
            assert len(found) == (0 if user != BEN else 3 if name in ("items", "storyline") else 1)
        assert not any(ADA in text for text, in found), name
    assert tried == (16 if role == "collector" else 20)


@pytest.mark.parametrize("role", ["collector", "owner"])
@pytest.mark.parametrize("user", [None, "", BEN])
def test_no_function_tells_of_another(people, role, user):
    tried = 0
    for schema, name, types, *_ in functions(people):
        if name == "store_day":
            continue
        query = f"SELECT row::text FROM {call(schema, name, types)} AS row"
        try:
            found = people.rows(role, query, user=user)
        except errors.InsufficientPrivilege:
            assert role == "owner" or name not in FOR_COLLECTOR, name
            continue
        assert role == "owner" or name in FOR_COLLECTOR, name
        tried += 1
        if name == "list_users":
            assert len(found) == 2
            continue
        if name == "unfinished_users":
            assert found == []
            continue
        if name not in WITHOUT_ROWS:
            assert len([text for text, in found if text is not None]) == {
                None: 0, "": 0, BEN: 2 if name == "keys_through" else 1}[user], name
        assert not any(ADA in (text or "") for text, in found), name
    assert tried >= 8


def test_nobody_writes_anothers_rows(people):
    before = rows_of_users(people)
    for name, user in itertools.product(sorted(READ_ONLY), (None, BEN)):
        for statement in (f"INSERT INTO archive.{name} VALUES ('x')", f"DELETE FROM archive.{name}",
                          f"UPDATE archive.{name} SET user_name = 'carl'"):
            with pytest.raises(errors.InsufficientPrivilege):
                people.rows("collector", statement, user=user)
    written = sorted(NAMED_TABLES - READ_ONLY)
    for name, user in itertools.product(written, (None, "", "carl")):
        for statement in (f"DELETE FROM archive.{name}",
                          f"UPDATE archive.{name} SET {named(name)} = 'carl'"):
            with people.cursor("collector", user) as cursor:
                cursor.execute(statement)
                assert cursor.rowcount == 0, statement
    # A row of another's: the policy says no before any key does.
    for name, user in itertools.product(written, (None, "", BEN)):
        columns = [column for column, in people.rows("admin", """
            SELECT column_name FROM information_schema.columns
            WHERE table_schema = 'archive' AND table_name = %s AND is_generated = 'NEVER'
            ORDER BY ordinal_position""", [name])]
        listed = ", ".join(f'"{column}"' for column in columns)
        row = people.rows(
            "admin", f"SELECT {listed} FROM archive.{name} WHERE {named(name)} = %s LIMIT 1",
            [ADA])[0]
        values = ", ".join(["%s"] * len(row))
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            people.rows("collector", f"INSERT INTO archive.{name} ({listed}) VALUES ({values})",
                        row, user=user)
    # Nor gives anybody a row away.
    for name in written:
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            people.rows("collector", f"UPDATE archive.{name} SET {named(name)} = %s", [ADA],
                        user=BEN)
    assert before == rows_of_users(people)


def test_nobody_lifts_or_makes_anothers_erasure(people):
    before = people.rows("admin", "SELECT * FROM archive.erased_users ORDER BY 1")
    assert len(before) >= 2
    for user in (None, "", "carl"):
        with people.cursor("collector", user) as cursor:
            cursor.execute("DELETE FROM archive.erased_users")
            assert cursor.rowcount == 0
    for user in (None, "", BEN):
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            people.rows("collector", "INSERT INTO archive.erased_users (name_digest)"
                        " VALUES (archive.erasure_digest('carl'))", user=user)
    assert people.rows("admin", "SELECT * FROM archive.erased_users ORDER BY 1") == before


@pytest.mark.parametrize("role", ["collector", "owner"])
@pytest.mark.parametrize("user", [None, "", BEN])
def test_nobody_stores_or_removes_a_day_of_another(people, role, user):
    key = [ADA, "0" * 32, "2026-06-01"]
    before = people.rows("admin", "SELECT * FROM archive.days ORDER BY user_name")
    with pytest.raises(errors.InsufficientPrivilege):
        people.rows(
            role, "SELECT archive.store_day(%s, %s, %s, 'story', '{}')", key, user=user)
    if role == "collector":
        people.rows(role, "SELECT archive.remove_day(%s, %s, %s)", key, user=user)
    assert people.rows("admin", "SELECT * FROM archive.days ORDER BY user_name") == before


@pytest.mark.parametrize("user", [None, ADA])
def test_the_analyst_reaches_consolidated_views_only(people, user):
    for schema, name, *_ in relations(people):
        query = f"SELECT * FROM {schema}.{name}"
        if schema == "archive":
            with pytest.raises(errors.InsufficientPrivilege):
                people.rows("analyst", query, user=user)
        else:
            # Two people are too few for any cell.
            assert people.rows("analyst", query, user=user) == []
    for schema, name, types, *_ in functions(people):
        with pytest.raises(errors.InsufficientPrivilege):
            people.rows("analyst", f"SELECT * FROM {call(schema, name, types)}", user=user)


@pytest.mark.parametrize("role", ["analyst", "collector"])
@pytest.mark.parametrize("statement", [
    "SET ROLE locomotion_aggregator", "SET ROLE locomotion_owner", "SET row_security = off;"
    " SELECT count(*) FROM archive.items", "CREATE SCHEMA other", "CREATE TABLE public.x (y int)",
    "CREATE TEMPORARY TABLE x (y int)", "CREATE FUNCTION archive.f() RETURNS int LANGUAGE sql"
    " RETURN 1", "ALTER TABLE archive.items DISABLE ROW LEVEL SECURITY",
    "DROP POLICY own ON archive.items", "TRUNCATE archive.items", "DROP TABLE archive.items",
    "ALTER ROLE locomotion_collector BYPASSRLS", "COPY archive.items TO '/tmp/items'",
    "SELECT pg_read_file('PG_VERSION')", "SELECT * FROM pg_authid",
    "SELECT * FROM pg_statistic", "UPDATE archive.schema_migrations SET version = 0",
    "CREATE EXTENSION dblink", "SELECT name FROM archive.list_users()",
    "SELECT pg_advisory_lock(1)", "SELECT * FROM pg_locks", "SELECT lo_create(0)",
    "SELECT * FROM pg_stat_user_tables", "SELECT * FROM pg_stat_database",
    "SELECT reltuples FROM pg_class", "SELECT pg_relation_size('archive.units')",
    "SET temp_file_limit = -1", "SELECT ST_EstimatedExtent('archive', 'items', 'position')",
])
def test_nobody_gets_more_rights(people, role, statement):
    with pytest.raises((errors.InsufficientPrivilege, errors.FeatureNotSupported)):
        people.rows(role, statement)


def test_statistics_show_nothing_of_people(people):
    people.rows("admin", "ANALYZE archive.items, archive.places, archive.users, archive.days")
    for role in ("analyst", "collector"):
        found = people.rows(role, """
            SELECT row::text FROM pg_stats AS row WHERE schemaname = 'archive'
              AND tablename NOT IN ('schema_migrations', 'erasure_key')""", user=BEN)
        assert found == []
    texts = people.rows("admin", """
        SELECT attname FROM pg_stats WHERE schemaname = 'archive'
          AND attname IN ('place_name', 'purpose', 'json', 'modality', 'position', 'cells')
          AND (most_common_vals IS NOT NULL OR histogram_bounds IS NOT NULL)
          AND tablename <> 'schema_migrations'""")
    assert [name for name, in texts if name != "position"] == []


def test_the_helper_cannot_connect(people):
    address = os.environ["LOCOMOTION_DATABASE"].replace(
        "locomotion_collector", "locomotion_aggregator")
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(address)
