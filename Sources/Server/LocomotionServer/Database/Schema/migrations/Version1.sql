-- The tables, and who sees which of their rows.
--
-- Instants are nanoseconds since the Unix epoch, exactly as recorded (`…_ns`); beside them stands
-- the same as `timestamptz`, to the microsecond. Names of users, devices and digests are compared
-- by bytes.
--
-- A migration that changes rows must know that row-level security binds the owner too: it sees no
-- row, unless it says ALTER TABLE … NO FORCE ROW LEVEL SECURITY and FORCE again at its end.

ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

GRANT USAGE ON SCHEMA archive TO locomotion_aggregator;

CREATE FUNCTION archive.instant(nanoseconds bigint) RETURNS timestamptz
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN to_timestamp(nanoseconds / 1e9);

CREATE TABLE archive.users (
  name text COLLATE "C" PRIMARY KEY CHECK (octet_length(name) BETWEEN 1 AND 128),
  created timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE archive.devices (
  user_name text COLLATE "C" NOT NULL REFERENCES archive.users ON DELETE CASCADE,
  device text COLLATE "C" NOT NULL CHECK (device ~ '^[0-9a-f]{32}$'),
  created timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (user_name, device)
);

-- The upload units; their bytes are in the object store.
CREATE TABLE archive.units (
  user_name text COLLATE "C" NOT NULL,
  device text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL CHECK (sequence >= 0),
  digest text COLLATE "C" NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  measurement bigint,
  first_ns bigint,
  last_ns bigint CHECK (last_ns >= first_ns),
  samples bigint NOT NULL CHECK (samples >= 0),
  rotation_rates bigint NOT NULL CHECK (rotation_rates >= 0),
  pressures bigint NOT NULL CHECK (pressures >= 0),
  fixes bigint NOT NULL CHECK (fixes >= 0),
  events bigint NOT NULL CHECK (events >= 0),
  bytes bigint NOT NULL CHECK (bytes >= 0),
  has_annotations boolean NOT NULL,
  format_version integer NOT NULL,
  object_key text NOT NULL,
  received timestamptz NOT NULL DEFAULT now(),
  first_event timestamptz GENERATED ALWAYS AS (archive.instant(first_ns)) STORED,
  last_event timestamptz GENERATED ALWAYS AS (archive.instant(last_ns)) STORED,
  PRIMARY KEY (user_name, digest),
  CONSTRAINT units_one_per_sequence UNIQUE (user_name, device, sequence),
  FOREIGN KEY (user_name, device) REFERENCES archive.devices ON DELETE CASCADE
);

-- The units that a device has withdrawn, since something in them was erased there: a copy of one
-- that arrives late is not stored again.
CREATE TABLE archive.withdrawn_units (
  user_name text COLLATE "C" NOT NULL REFERENCES archive.users ON DELETE CASCADE,
  digest text COLLATE "C" NOT NULL CHECK (digest ~ '^[0-9a-f]{64}$'),
  PRIMARY KEY (user_name, digest)
);

-- What follows is derived from the units.

CREATE TABLE archive.measurements (
  user_name text COLLATE "C" NOT NULL,
  device text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  modality text,
  start_ns bigint NOT NULL,
  end_ns bigint,
  samples bigint NOT NULL CHECK (samples >= 0),
  fixes bigint NOT NULL CHECK (fixes >= 0),
  starts timestamptz GENERATED ALWAYS AS (archive.instant(start_ns)) STORED,
  ends timestamptz GENERATED ALWAYS AS (archive.instant(end_ns)) STORED,
  PRIMARY KEY (user_name, device, number),
  FOREIGN KEY (user_name, device) REFERENCES archive.devices ON DELETE CASCADE
);

CREATE TABLE archive.places (
  user_name text COLLATE "C" NOT NULL,
  device text COLLATE "C" NOT NULL,
  number bigint NOT NULL,
  name text,
  position geography(Point, 4326) NOT NULL,
  radius double precision NOT NULL CHECK (radius >= 0),
  is_learned boolean NOT NULL,
  PRIMARY KEY (user_name, device, number),
  FOREIGN KEY (user_name, device) REFERENCES archive.devices ON DELETE CASCADE
);

CREATE TABLE archive.days (
  user_name text COLLATE "C" NOT NULL,
  device text COLLATE "C" NOT NULL,
  date date NOT NULL,
  revision bigint NOT NULL DEFAULT 1,
  is_final boolean NOT NULL,
  -- Of the user's devices this one recorded most of the date: only its day counts in totals.
  is_primary boolean NOT NULL DEFAULT false,
  time_zone text NOT NULL,
  start_ns bigint NOT NULL,
  end_ns bigint NOT NULL CHECK (end_ns > start_ns),
  recorded_seconds double precision NOT NULL CHECK (recorded_seconds >= 0),
  stay_seconds double precision NOT NULL CHECK (stay_seconds >= 0),
  distance double precision,
  steps double precision NOT NULL,
  -- A text, not jsonb, because it is kept byte for byte.
  json text NOT NULL,
  updated timestamptz NOT NULL DEFAULT now(),
  starts timestamptz GENERATED ALWAYS AS (archive.instant(start_ns)) STORED,
  ends timestamptz GENERATED ALWAYS AS (archive.instant(end_ns)) STORED,
  PRIMARY KEY (user_name, device, date),
  FOREIGN KEY (user_name, device) REFERENCES archive.devices ON DELETE CASCADE
);

-- A day's travel by activity.
CREATE TABLE archive.travel (
  user_name text COLLATE "C" NOT NULL,
  device text COLLATE "C" NOT NULL,
  date date NOT NULL,
  activity text NOT NULL,
  seconds double precision NOT NULL CHECK (seconds >= 0),
  distance double precision,
  steps double precision NOT NULL,
  PRIMARY KEY (user_name, device, date, activity),
  FOREIGN KEY (user_name, device, date) REFERENCES archive.days ON DELETE CASCADE
);

CREATE TABLE archive.items (
  user_name text COLLATE "C" NOT NULL,
  device text COLLATE "C" NOT NULL,
  date date NOT NULL,
  -- The item's place in its day, from 0; a trip's legs follow it.
  number integer NOT NULL,
  kind text NOT NULL CHECK (kind IN ('stay', 'trip', 'leg', 'gap')),
  -- The number of the trip of a leg.
  trip integer CHECK ((trip IS NOT NULL) = (kind = 'leg')),
  start_ns bigint NOT NULL,
  end_ns bigint NOT NULL CHECK (end_ns >= start_ns),
  activity text,
  distance double precision,
  steps double precision,
  position geography(Point, 4326),
  radius double precision,
  path geography(LineString, 4326),
  place_name text,
  purpose text,
  is_corrected boolean NOT NULL,
  is_partial boolean NOT NULL,
  starts timestamptz GENERATED ALWAYS AS (archive.instant(start_ns)) STORED,
  ends timestamptz GENERATED ALWAYS AS (archive.instant(end_ns)) STORED,
  PRIMARY KEY (user_name, device, date, number),
  FOREIGN KEY (user_name, device, date) REFERENCES archive.days ON DELETE CASCADE
);

-- The user comes first: in a city are many people's rows, and a question is about one's own.
CREATE INDEX items_position ON archive.items USING gist (user_name, position)
  WHERE position IS NOT NULL;
CREATE INDEX items_path ON archive.items USING gist (user_name, path) WHERE path IS NOT NULL;
CREATE INDEX items_start ON archive.items (user_name, start_ns);
CREATE INDEX places_position ON archive.places USING gist (user_name, position);

-- The planner's statistics hold the most common values: none of what people wrote.
ALTER TABLE archive.measurements ALTER modality SET STATISTICS 0;
ALTER TABLE archive.places ALTER name SET STATISTICS 0, ALTER position SET STATISTICS 0;
ALTER TABLE archive.days ALTER json SET STATISTICS 0;
ALTER TABLE archive.items ALTER place_name SET STATISTICS 0, ALTER purpose SET STATISTICS 0;

-- A connection sees and writes the rows of the user whom it names, and none without a name. The
-- setting is '' again after a transaction that has set it.
CREATE POLICY own ON archive.users
  USING (name = nullif(current_setting('locomotion.user', true), ''))
  WITH CHECK (name = nullif(current_setting('locomotion.user', true), ''));
ALTER TABLE archive.users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

DO $$
DECLARE
  own text := 'user_name = nullif(current_setting(''locomotion.user'', true), '''')';
  name text;
BEGIN
  FOREACH name IN ARRAY
    ARRAY['devices', 'units', 'withdrawn_units', 'measurements', 'places', 'days', 'travel',
      'items']
  LOOP
    EXECUTE format('CREATE POLICY own ON archive.%I USING (%s) WITH CHECK (%s)', name, own, own);
    EXECUTE format(
      'ALTER TABLE archive.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
  END LOOP;
END
$$;

GRANT EXECUTE ON FUNCTION archive.instant TO locomotion_collector, locomotion_aggregator;
GRANT SELECT, INSERT, UPDATE, DELETE ON
  archive.users, archive.devices, archive.units, archive.withdrawn_units, archive.measurements,
  archive.places, archive.days, archive.travel, archive.items
  TO locomotion_collector;
GRANT SELECT ON
  archive.users, archive.devices, archive.units, archive.days, archive.travel, archive.items
  TO locomotion_aggregator;
