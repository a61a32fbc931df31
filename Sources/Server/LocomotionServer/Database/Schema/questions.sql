-- What people ask of their own rows.
--
-- Views and functions run with the rights of who asks, so that row-level security holds in them.
-- It also keeps PostGIS's operators from an index, since the planner tries no operator on a row
-- before the policy has let it through, unless the operator is declared leakproof. So
-- `keys_near` and `keys_through`, which run as a role that no policy binds, look up which of the
-- user's rows lie near, by the indexes, and return their keys; the rows themselves are read with
-- the policies.

CREATE FUNCTION archive.keys_near(point geography, metres double precision)
  RETURNS TABLE (device text, date date, number integer)
  LANGUAGE sql STABLE SECURITY DEFINER ROWS 50
  SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT item.device, item.date, item.number FROM archive.items AS item
  WHERE item.user_name = nullif(current_setting('locomotion.user', true), '')
    AND ST_DWithin(item.position, point, metres);
END;

CREATE FUNCTION archive.keys_through(area geography)
  RETURNS TABLE (device text, date date, number integer)
  LANGUAGE sql STABLE SECURITY DEFINER ROWS 50
  SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT item.device, item.date, coalesce(item.trip, item.number) FROM archive.items AS item
  WHERE item.user_name = nullif(current_setting('locomotion.user', true), '')
    AND item.path && area AND ST_Intersects(item.path, area);
END;

-- The mean probability of the legs of a storyline by their durations; null where no leg has one:
-- corrected ones have none, and those of days that were stored before there were probabilities.
CREATE FUNCTION archive.expected_right(story text) RETURNS double precision
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT sum(leg.probability * leg.duration)
    / nullif(sum(leg.duration) FILTER (WHERE leg.probability IS NOT NULL), 0)
  -- Operators of `json` refuse U+0000, which a name may hold; an escaped backslash before it stays.
  FROM json_array_elements(
      regexp_replace(story, '(?<!\\)((?:\\\\)*)\\u0000', '\1', 'g')::json) AS day,
    json_array_elements(day -> 'segments') AS segment,
    json_to_recordset(segment -> 'activities')
      AS leg (probability double precision, duration double precision);
END;

-- Daily totals: one row for each date. The last two columns tell how right a day's modes of travel
-- are expected to be, and how much of its travel has no mode: what tells, without a label, of a
-- person or a phone on which the model drifts.
CREATE VIEW archive.daily_totals WITH (security_invoker = true) AS
  SELECT date, device, revision, is_final, time_zone, recorded_seconds, stay_seconds, distance,
    steps,
    archive.expected_right(json) AS travel_expected_right,
    coalesce((
      SELECT travel.seconds FROM archive.travel AS travel
      WHERE travel.user_name = day.user_name AND travel.device = day.device
        AND travel.date = day.date AND travel.activity = 'unknown'), 0) AS travel_unknown_seconds
  FROM archive.days AS day
  WHERE is_primary;

-- The stays, trips, legs and gaps of each date, in order of `date, number`.
CREATE VIEW archive.storyline WITH (security_invoker = true) AS
  SELECT item.date, item.number, item.kind, item.trip, item.starts, item.ends,
    (item.end_ns - item.start_ns) / 1e9::double precision AS seconds, item.activity,
    item.distance, item.steps, item.place_name, item.purpose, item.position, item.radius,
    item.path, item.is_corrected, item.is_partial, item.device
  FROM archive.items AS item
  JOIN archive.days AS day USING (user_name, device, date)
  WHERE day.is_primary;

-- The share of each activity in the time of travel, for each week, which begins on Monday.
-- It is one of the calendar, whatever the time zone of the session.
CREATE VIEW archive.mode_share_per_week WITH (security_invoker = true) AS
  SELECT date_trunc('week', day.date::timestamp)::date AS week, travel.activity,
    sum(travel.seconds) AS seconds, sum(travel.distance) AS distance, sum(travel.steps) AS steps,
    sum(travel.seconds) / nullif(
      sum(sum(travel.seconds)) OVER (PARTITION BY date_trunc('week', day.date::timestamp)), 0)
      AS share
  FROM archive.travel AS travel
  JOIN archive.days AS day USING (user_name, device, date)
  WHERE day.is_primary
  GROUP BY date_trunc('week', day.date::timestamp), travel.activity;

-- The stays within a distance of a point, the nearest first.
CREATE FUNCTION archive.stays_near(
  latitude double precision, longitude double precision, metres double precision
)
  RETURNS TABLE (
    date date, starts timestamptz, ends timestamptz, place_name text, purpose text,
    distance double precision, device text, number integer
  )
  LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT item.date, item.starts, item.ends, item.place_name, item.purpose,
    ST_Distance(item.position, ST_MakePoint(longitude, latitude)::geography), item.device,
    item.number
  FROM archive.keys_near(ST_MakePoint(longitude, latitude)::geography, metres) AS key
  JOIN archive.items AS item USING (device, date, number)
  WHERE item.kind = 'stay'
  ORDER BY item.position <-> ST_MakePoint(longitude, latitude)::geography, item.start_ns;
END;

-- The trips whose way, or that of one of their legs, meets an area, in the order of time.
CREATE FUNCTION archive.trips_through(area geography)
  RETURNS TABLE (
    date date, starts timestamptz, ends timestamptz, activity text, distance double precision,
    steps double precision, path geography, device text, number integer
  )
  LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT item.date, item.starts, item.ends, item.activity, item.distance, item.steps, item.path,
    item.device, item.number
  FROM (SELECT DISTINCT * FROM archive.keys_through(area)) AS key
  JOIN archive.items AS item USING (device, date, number)
  WHERE item.kind = 'trip'
  ORDER BY item.start_ns, item.device;
END;

-- A date's storyline as JSON, byte for byte as the journal prints it; null without one.
CREATE FUNCTION archive.storyline_json(day date) RETURNS text
  LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT json FROM archive.days WHERE date = day AND is_primary;
END;

-- All users, with how much there is of each, for the operator.
CREATE FUNCTION archive.list_users()
  RETURNS TABLE (
    name text, created timestamptz, devices bigint, units bigint, bytes bigint, days bigint
  )
  LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT person.name, person.created,
    (SELECT count(*) FROM archive.devices WHERE user_name = person.name),
    (SELECT count(*) FROM archive.units WHERE user_name = person.name),
    (SELECT coalesce(sum(unit.bytes), 0)::bigint FROM archive.units AS unit
      WHERE unit.user_name = person.name),
    (SELECT count(*) FROM archive.days WHERE user_name = person.name)
  FROM archive.users AS person
  ORDER BY person.name;
END;

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
