-- What a superuser runs once, connected to the archive's database, before the first migration.
--
-- Passwords are set apart from this: \password, or ALTER ROLE … PASSWORD.

DO $$
DECLARE
  role record;
BEGIN
  FOR role IN
    SELECT * FROM (VALUES
      -- Owns the schema and migrates it. Row-level security binds it as well.
      ('locomotion_owner', 'LOGIN'),
      -- What `locomotion collect` connects as.
      ('locomotion_collector', 'LOGIN'),
      -- Sees consolidated views and nothing else.
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
  EXECUTE format('ALTER DATABASE %I OWNER TO locomotion_owner', current_database());
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  EXECUTE format(
    'GRANT CONNECT ON DATABASE %I TO locomotion_collector, locomotion_analyst',
    current_database());
END
$$;

-- A migration gives it those functions, which only a member can.
GRANT locomotion_aggregator TO locomotion_owner;

CREATE EXTENSION IF NOT EXISTS postgis SCHEMA public;
CREATE EXTENSION IF NOT EXISTS btree_gist SCHEMA public;

-- Only these roles use the extensions.
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public
  TO locomotion_owner, locomotion_collector, locomotion_analyst, locomotion_aggregator;
