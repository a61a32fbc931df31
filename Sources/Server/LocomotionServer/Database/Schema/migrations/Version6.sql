-- The people who were erased, of whom nothing is stored until the operator readmits them; and who
-- has something left of a deletion that was interrupted.

-- A random number of this archive. It keeps from the names whoever sees the digests alone, and not
-- whoever has both and tries names.
CREATE TABLE archive.erasure_key (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  key bytea NOT NULL
);
INSERT INTO archive.erasure_key (key)
VALUES (sha256(convert_to(gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')));

CREATE FUNCTION archive.erasure_digest(name text) RETURNS bytea
  LANGUAGE sql STABLE STRICT
BEGIN ATOMIC
  SELECT sha256(key || convert_to(name, 'UTF8')) FROM archive.erasure_key;
END;

-- Neither references `users`, where the name is gone, nor is deleted with anybody.
CREATE TABLE archive.erased_users (
  name_digest bytea PRIMARY KEY CHECK (octet_length(name_digest) = 32),
  erased timestamptz NOT NULL DEFAULT now()
);

CREATE POLICY own ON archive.erased_users
  USING (name_digest
    = archive.erasure_digest(nullif(current_setting('locomotion.user', true), '')))
  WITH CHECK (name_digest
    = archive.erasure_digest(nullif(current_setting('locomotion.user', true), '')));
ALTER TABLE archive.erased_users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

GRANT SELECT ON archive.erasure_key TO locomotion_collector;
GRANT EXECUTE ON FUNCTION archive.erasure_digest TO locomotion_collector;
GRANT SELECT, INSERT, UPDATE, DELETE ON archive.erased_users TO locomotion_collector;

-- The users with a unit that is withdrawn and still there, or with days of a device without units.
-- A collector that starts has nobody's name to ask for, and their objects may be gone.
CREATE FUNCTION archive.unfinished_users() RETURNS TABLE (name text)
  LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT unit.user_name FROM archive.units AS unit
  JOIN archive.withdrawn_units USING (user_name, digest)
  UNION
  SELECT day.user_name FROM archive.days AS day
  WHERE NOT EXISTS (
    SELECT FROM archive.units AS unit
    WHERE unit.user_name = day.user_name AND unit.device = day.device
  );
END;

GRANT SELECT ON archive.withdrawn_units TO locomotion_aggregator;
GRANT EXECUTE ON FUNCTION archive.unfinished_users TO locomotion_collector;
SELECT archive.seal('archive.unfinished_users'::regproc);
