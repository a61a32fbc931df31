"""Everything that the catalogue names, tried as somebody else, as nobody and as the analyst."""

import itertools
import os

import psycopg
import pytest
from psycopg import errors, sql

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
    "geography": sql.SQL("'POLYGON((8 47, 9 47, 9 48, 8 48, 8 47))'::geography"),
    "double precision": sql.SQL("47.37"),
    "date": sql.SQL("'2026-06-01'::date"),
    "bigint": sql.SQL("0"),
}
SPECIAL = {
    "stays_near": sql.SQL("47.37, 8.54, 1e7"),
    "keys_near": sql.SQL("'POINT(8.54 47.37)'::geography, 1e7"),
    "cell": sql.SQL("47.37, 8.54"),
    "erasure_digest": sql.SQL("'ada'"),
}
USER_TABLES = {
    "users", "devices", "units", "withdrawn_units", "measurements", "places", "days", "travel",
    "items", "erased_users"}
# Without rows of users.
OTHER_TABLES = {"schema_migrations", "erasure_key"}
# With the user's name.
NAMED_TABLES = USER_TABLES - {"erased_users"}
ADA, BEN = "ada lovelace", "ben o'hara"


@pytest.fixture(scope="module")
def people(database):
    """Ada and Ben, each with a day."""
    database.clear()
    database.add(ADA)
    database.add(BEN)
    return database


def relations(database):
    return database.rows("admin", RELATIONS)


def functions(database):
    return database.rows("admin", FUNCTIONS)


def call(name, types):
    """A call of a function whose answer covers all that there is."""
    given = SPECIAL.get(name)
    if given is None:
        parts = [part for part in types.split(", ") if part]
        given = sql.SQL(", ").join(WIDE[part] for part in parts)
    return given


def test_the_catalogue_is_as_told(people):
    names = {(schema, name) for schema, name, *_ in relations(people)}
    assert {name for schema, name in names if schema == "archive"} == USER_TABLES | OTHER_TABLES | {
        "daily_totals", "storyline", "mode_share_per_week"}
    assert {name for schema, name in names if schema == "analysis"} == {
        "mode_share_per_week", "trips_per_cell", "dwell_per_cell"}
    for schema, name, kind, secured, forced, options, owner in relations(people):
        assert owner == "locomotion_owner", name
        if kind == "v":
            assert "security_invoker=true" in options, name
        else:
            assert kind == "r"
            assert (secured, forced) == ((name in USER_TABLES,) * 2), name
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
        assert volatility != "v", name
        if definer:
            definers[name] = owner
            assert "search_path=pg_catalog" in settings and settings.endswith("pg_temp"), name
        else:
            assert owner == "locomotion_owner", name
    assert definers == dict.fromkeys([
        "keys_near", "keys_through", "list_users", "unfinished_users", "all_mode_share_per_week",
        "all_trips_per_cell", "all_dwell_per_cell"], "locomotion_aggregator")


def test_roles_have_no_more_than_they_need(people):
    roles = people.rows("admin", """
        SELECT rolname, rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
          rolcanlogin
        FROM pg_roles WHERE rolname LIKE 'locomotion%' ORDER BY 1""")
    assert roles == [
        ("locomotion_aggregator", False, False, False, False, True, False),
        ("locomotion_analyst", False, False, False, False, False, True),
        ("locomotion_collector", False, False, False, False, False, True),
        ("locomotion_owner", False, False, False, False, False, True),
    ]
    members = people.rows("admin", """
        SELECT pg_get_userbyid(roleid), pg_get_userbyid(member) FROM pg_auth_members
        WHERE pg_get_userbyid(member) LIKE 'locomotion%'""")
    assert members == [("locomotion_aggregator", "locomotion_owner")]


def test_each_sees_all_of_their_own(people):
    own = [name for schema, name, *_ in relations(people)
           if schema == "archive" and name not in OTHER_TABLES]
    for name, user in itertools.product(own, (ADA, BEN)):
        found = people.rows(
            "collector", sql.SQL("SELECT * FROM archive.{}").format(sql.Identifier(name)),
            user=user)
        assert len(found) == {"items": 3, "storyline": 3}.get(name, 1), name


@pytest.mark.parametrize("role", ["collector", "owner"])
@pytest.mark.parametrize("user", [
    None, "", " ", BEN, "ada", "ADA LOVELACE", "ada lovelace ", "ada%", "%", "NULL", "' OR true--"])
def test_no_relation_shows_anothers_rows(people, role, user):
    tried = 0
    for schema, name, *_ in relations(people):
        if (role, schema) == ("collector", "analysis"):
            continue
        query = sql.SQL("SELECT row::text FROM {}.{} AS row").format(
            sql.Identifier(schema), sql.Identifier(name))
        found = people.rows(role, query, user=user)
        tried += 1
        if schema == "analysis":
            # The owner's; two people are too few for any cell.
            assert found == []
        elif name not in OTHER_TABLES:
            assert len(found) == (0 if user != BEN else 3 if name in ("items", "storyline") else 1)
        assert not any(ADA in text for text, in found), name
    assert tried == (15 if role == "collector" else 18)


@pytest.mark.parametrize("role", ["collector", "owner"])
@pytest.mark.parametrize("user", [None, "", BEN])
def test_no_function_tells_of_another(people, role, user):
    tried = 0
    for schema, name, types, *_ in functions(people):
        query = sql.SQL("SELECT row::text FROM {}.{}({}) AS row").format(
            sql.Identifier(schema), sql.Identifier(name), call(name, types))
        try:
            found = people.rows(role, query, user=user)
        except errors.InsufficientPrivilege:
            assert name == "list_users" or schema == "analysis" or role == "owner"
            continue
        tried += 1
        if name == "list_users":
            assert role == "owner" and len(found) == 2
        elif schema == "analysis" and name != "least_people":
            assert role == "owner" and found == []
        elif name == "unfinished_users":
            assert found == []
        elif name not in ("cell", "cells", "erasure_digest", "instant", "least_people"):
            assert len([text for text, in found if text is not None]) == {
                None: 0, "": 0, BEN: 2 if name == "keys_through" else 1}[user], name
            assert not any(ADA in (text or "") for text, in found), name
    assert tried >= 8


def test_nobody_writes_anothers_rows(people):
    before = {name: people.rows(
        "admin", sql.SQL("SELECT row::text FROM archive.{} AS row ORDER BY 1").format(
            sql.Identifier(name))) for name in NAMED_TABLES}
    for name, user in itertools.product(sorted(NAMED_TABLES), (None, "", "carl")):
        table = sql.Identifier(name)
        column = sql.Identifier("name" if name == "users" else "user_name")
        for statement in ("DELETE FROM archive.{table}",
                          "UPDATE archive.{table} SET {column} = 'carl'"):
            with people.cursor("collector", user) as cursor:
                cursor.execute(sql.SQL(statement).format(table=table, column=column))
                assert cursor.rowcount == 0, statement
    # A row of another's: the policy says no before any key does.
    for name, user in itertools.product(sorted(NAMED_TABLES), (None, "", BEN)):
        columns = [column for column, in people.rows("admin", """
            SELECT column_name FROM information_schema.columns
            WHERE table_schema = 'archive' AND table_name = %s AND is_generated = 'NEVER'
            ORDER BY ordinal_position""", [name])]
        listed = sql.SQL(", ").join(map(sql.Identifier, columns))
        first = sql.Identifier("name" if name == "users" else "user_name")
        row = people.rows(
            "admin", sql.SQL("SELECT {} FROM archive.{} WHERE {} = %s LIMIT 1").format(
                listed, sql.Identifier(name), first), [ADA])[0]
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            people.rows("collector", sql.SQL("INSERT INTO archive.{} ({}) VALUES ({})").format(
                sql.Identifier(name), listed, sql.SQL(", ").join([sql.Placeholder()] * len(row))),
                row, user=user)
    # Nor gives anybody a row away.
    for name in sorted(NAMED_TABLES):
        column = sql.Identifier("name" if name == "users" else "user_name")
        with pytest.raises(errors.InsufficientPrivilege, match="row-level security"):
            people.rows("collector", sql.SQL("UPDATE archive.{} SET {} = %s").format(
                sql.Identifier(name), column), [ADA], user=BEN)
    after = {name: people.rows(
        "admin", sql.SQL("SELECT row::text FROM archive.{} AS row ORDER BY 1").format(
            sql.Identifier(name))) for name in NAMED_TABLES}
    assert before == after


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


def test_the_setting_ends_with_its_transaction(people):
    with psycopg.connect(os.environ["LOCOMOTION_DATABASE"]) as connection:
        connection.execute("SELECT set_config('locomotion.user', %s, true)", [ADA])
        assert len(connection.execute("SELECT * FROM archive.items").fetchall()) == 3
        connection.commit()
        assert connection.execute(
            "SELECT current_setting('locomotion.user', true)").fetchone() == ("",)
        assert connection.execute("SELECT * FROM archive.items").fetchall() == []


@pytest.mark.parametrize("user", [None, ADA])
def test_the_analyst_reaches_consolidated_views_only(people, user):
    for schema, name, *_ in relations(people):
        query = sql.SQL("SELECT * FROM {}.{}").format(
            sql.Identifier(schema), sql.Identifier(name))
        if schema == "archive":
            with pytest.raises(errors.InsufficientPrivilege):
                people.rows("analyst", query, user=user)
        else:
            # Two people are too few for any cell.
            assert people.rows("analyst", query, user=user) == []
    for schema, name, types, *_ in functions(people):
        query = sql.SQL("SELECT * FROM {}.{}({})").format(
            sql.Identifier(schema), sql.Identifier(name), call(name, types))
        if schema == "analysis" and name != "least_people":
            assert people.rows("analyst", query, user=user) == []
        else:
            with pytest.raises(errors.InsufficientPrivilege):
                people.rows("analyst", query, user=user)


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
])
def test_nobody_gets_more_rights(people, role, statement):
    with pytest.raises((errors.InsufficientPrivilege, errors.FeatureNotSupported)):
        people.rows(role, statement)


def test_statistics_show_nothing_of_people(people):
    people.rows("admin", "ANALYZE archive.items, archive.places, archive.users, archive.days")
    for role in ("analyst", "collector"):
        found = people.rows(role, """
            SELECT row::text FROM pg_stats AS row WHERE schemaname IN ('archive', 'analysis')
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
