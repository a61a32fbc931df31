-- What a superuser runs in the archive's database: before the first migration, and again when a
-- program says that it needs later roles. Running it twice is harmless.
--
-- Passwords are set apart from this: \password, or ALTER ROLE … PASSWORD.

DO $$
DECLARE
  role record;
  member name;
BEGIN
  FOR role IN
    SELECT * FROM (VALUES
      -- Owns the schema and migrates it. Row-level security binds it as well.
      ('locomotion_owner', 'LOGIN'),
      -- What `locomotion-server collect` connects as.
      ('locomotion_collector', 'LOGIN'),
      -- Sees what is published and nothing else.
      ('locomotion_analyst', 'LOGIN'),
      -- Owns the few functions that look at all users' rows. Nobody connects as it.
      ('locomotion_aggregator', 'NOLOGIN BYPASSRLS')
    ) AS roles (name, rights)
  LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role.name) THEN
      EXECUTE format(
        'CREATE ROLE %I NOSUPERUSER NOCREATEDB NOCREATEROLE %s', role.name, role.rights);
    END IF;
  END LOOP;
  -- Nobody acts as it: `archive.seal` gives it functions.
  FOR member IN
    SELECT pg_get_userbyid(known.member) FROM pg_auth_members AS known
    WHERE known.roleid = 'locomotion_aggregator'::regrole
  LOOP
    EXECUTE format('REVOKE locomotion_aggregator FROM %I', member);
  END LOOP;
  EXECUTE format('ALTER DATABASE %I OWNER TO locomotion_owner', current_database());
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format(
    'GRANT CONNECT ON DATABASE %I TO locomotion_collector, locomotion_analyst',
    current_database());
  -- An analyst fills neither all connections nor the disk. Roles belong to all databases, in others
  -- of which this may run now.
  IF (SELECT rolconnlimit FROM pg_roles WHERE rolname = 'locomotion_analyst') <> 10 THEN
    ALTER ROLE locomotion_analyst CONNECTION LIMIT 10;
  END IF;
  EXECUTE format(
    'ALTER ROLE locomotion_analyst IN DATABASE %I SET temp_file_limit = ''1GB''',
    current_database());
END
$$;

CREATE EXTENSION IF NOT EXISTS postgis SCHEMA public;
CREATE EXTENSION IF NOT EXISTS btree_gist SCHEMA public;

-- Only these roles use the extensions.
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public
  TO locomotion_owner, locomotion_collector, locomotion_analyst, locomotion_aggregator;

-- What no grant on a table covers, because it belongs to the server or takes a table's number: locks,
-- large objects, who is doing how much, and statistics about where rows lie. Who monitors the server
-- is a member of pg_monitor.
DO $$
DECLARE
  function record;
BEGIN
  FOR function IN
    SELECT oid::regprocedure AS name,
      proname ~ '^pg_(lock|safe|blocking|stat|database|indexes|relation|table|total|current)'
        AS is_watching
    FROM pg_proc
    WHERE pronamespace IN ('pg_catalog'::regnamespace, 'public'::regnamespace) AND proname ~ (
      '^(pg_(try_)?advisory_.*|lo_.*|loread|lowrite|pg_logical_emit_message'
      '|pg_lock_status|pg_(safe_snapshot_)?blocking_pids|pg_isolation_test_session_is_blocked'
      '|pg_stat_get_.*|pg_(database|indexes|relation|table|tablespace|total_relation)_size'
      '|pg_current_wal_.*'
      '|st_estimatedextent|_postgis_(stats|selectivity|join_selectivity|index_extent))$')
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', function.name);
    IF function.is_watching THEN
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_monitor', function.name);
    END IF;
  END LOOP;
  -- All columns of pg_class, which programs read, but the numbers of rows and pages.
  REVOKE SELECT ON pg_catalog.pg_class FROM PUBLIC;
  EXECUTE (
    SELECT format('GRANT SELECT (%s) ON pg_catalog.pg_class TO PUBLIC',
      string_agg(quote_ident(attname), ', '))
    FROM pg_attribute
    WHERE attrelid = 'pg_catalog.pg_class'::regclass
      AND attname NOT IN ('relpages', 'reltuples', 'relallvisible'));
END
$$;

CREATE SCHEMA IF NOT EXISTS archive AUTHORIZATION locomotion_owner;
GRANT USAGE ON SCHEMA archive TO locomotion_collector;

-- Here rather than in a migration, because migrations wait for each other by a lock on it.
CREATE TABLE IF NOT EXISTS archive.schema_migrations (
  version integer PRIMARY KEY,
  applied timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE archive.schema_migrations OWNER TO locomotion_owner;
GRANT SELECT ON archive.schema_migrations TO locomotion_collector;

-- Makes a function of a migration one that looks at all users' rows: with the rights of
-- `locomotion_aggregator`, and with every setting fixed by which its caller could change an answer.
CREATE OR REPLACE FUNCTION archive.seal(function regprocedure) RETURNS void
  LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM pg_proc AS known
    WHERE known.oid = function
      AND known.pronamespace::regnamespace::text IN ('archive', 'analysis')
      AND known.proowner::regrole::text IN ('locomotion_owner', 'locomotion_aggregator')
  ) THEN
    RAISE insufficient_privilege USING MESSAGE = format('%s is not the owner''s', function);
  END IF;
  EXECUTE format(
    'ALTER FUNCTION %s SECURITY DEFINER
      SET search_path = pg_catalog, public, pg_temp
      SET "TimeZone" = ''UTC''
      SET "DateStyle" = ''ISO, YMD''
      SET "IntervalStyle" = ''postgres''
      SET extra_float_digits = 1
      SET bytea_output = ''hex''
      SET lc_monetary = ''C''
      SET lc_numeric = ''C''
      SET lc_time = ''C''
      SET array_nulls = on
      SET transform_null_equals = off
      SET row_security = on',
    function);
  EXECUTE format('ALTER FUNCTION %s OWNER TO locomotion_aggregator', function);
  EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO locomotion_owner', function);
END
$$;
REVOKE ALL ON FUNCTION archive.seal FROM PUBLIC;
GRANT EXECUTE ON FUNCTION archive.seal TO locomotion_owner;

-- By which programs know that this has been run. At last, since it says so.
CREATE OR REPLACE FUNCTION archive.roles_version() RETURNS integer
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN 2;
REVOKE ALL ON FUNCTION archive.roles_version FROM PUBLIC;
GRANT EXECUTE ON FUNCTION archive.roles_version TO locomotion_owner, locomotion_collector;
