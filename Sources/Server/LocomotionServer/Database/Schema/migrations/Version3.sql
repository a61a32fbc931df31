-- What an analyst sees of all: cells of at least ten people, without identities.
--
-- The functions take no arguments: who could choose an interval or an area could subtract two
-- answers from each other. They are functions, not views over the tables, because a condition of
-- the analyst's is then only tried on what they return. Only the primary day of a person counts.

CREATE SCHEMA analysis;
GRANT USAGE ON SCHEMA analysis TO locomotion_analyst, locomotion_aggregator;

CREATE FUNCTION analysis.least_people() RETURNS integer
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN 10;

-- The cell of a point on a grid of 0.01 degrees: its row from the south pole times 36000, and its
-- column from the antimeridian.
CREATE FUNCTION archive.cell(latitude double precision, longitude double precision)
  RETURNS integer
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN least(floor((latitude + 90) * 100)::integer, 17999) * 36000
    + least(floor((longitude + 180) * 100)::integer, 35999);

-- The cells of a place or of a way, on which no two points are more than 250 m apart.
CREATE FUNCTION archive.cells(shape geography) RETURNS integer[]
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
  SELECT array_agg(DISTINCT archive.cell(ST_Y(point.geom), ST_X(point.geom)))
  FROM ST_DumpPoints(ST_Segmentize(shape, 250)::geometry) AS point;
END;

ALTER TABLE archive.items ADD COLUMN cells integer[]
  GENERATED ALWAYS AS (coalesce(archive.cells(path), archive.cells(position))) STORED;
ALTER TABLE archive.items ALTER cells SET STATISTICS 0;

CREATE FUNCTION analysis.all_mode_share_per_week()
  RETURNS TABLE (
    week date, activity text, people bigint, seconds double precision,
    distance double precision, share double precision
  )
  LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  WITH cells AS (
    SELECT date_trunc('week', travel.date)::date AS week, travel.activity,
      count(DISTINCT travel.user_name) AS people, sum(travel.seconds) AS seconds,
      -- The sum over those who know their distance, if they are enough for themselves.
      CASE
        WHEN count(DISTINCT travel.user_name) FILTER (WHERE travel.distance IS NOT NULL)
          >= analysis.least_people()
        THEN sum(travel.distance)
      END AS distance
    FROM archive.travel AS travel
    JOIN archive.days AS day USING (user_name, device, date)
    WHERE day.is_primary AND travel.seconds > 0
    GROUP BY date_trunc('week', travel.date), travel.activity
    HAVING count(DISTINCT travel.user_name) >= analysis.least_people()
  )
  -- Shares of what is shown: what is missing from 1 would be the time of fewer people.
  SELECT cells.week, cells.activity, cells.people, cells.seconds, cells.distance,
    cells.seconds / sum(cells.seconds) OVER (PARTITION BY cells.week)
  FROM cells
  ORDER BY cells.week, cells.activity;
END;

CREATE FUNCTION analysis.all_trips_per_cell()
  RETURNS TABLE (
    month date, latitude double precision, longitude double precision, people bigint,
    trips bigint
  )
  LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT date_trunc('month', visit.date)::date,
    (visit.cell / 36000 + 0.5) / 100 - 90, (visit.cell % 36000 + 0.5) / 100 - 180,
    count(DISTINCT visit.user_name), count(*)
  FROM (
    SELECT DISTINCT item.user_name, item.date, item.device,
      coalesce(item.trip, item.number) AS trip, cell
    FROM archive.items AS item
    JOIN archive.days AS day USING (user_name, device, date)
    CROSS JOIN LATERAL unnest(item.cells) AS cell
    WHERE day.is_primary AND item.kind IN ('trip', 'leg')
  ) AS visit
  GROUP BY date_trunc('month', visit.date), visit.cell
  HAVING count(DISTINCT visit.user_name) >= analysis.least_people()
  ORDER BY date_trunc('month', visit.date), visit.cell;
END;

CREATE FUNCTION analysis.all_dwell_per_cell()
  RETURNS TABLE (
    month date, latitude double precision, longitude double precision, people bigint,
    stays bigint, hours double precision, mean_minutes double precision
  )
  LANGUAGE sql STABLE SECURITY DEFINER
  SET search_path = pg_catalog, public, pg_temp
BEGIN ATOMIC
  SELECT date_trunc('month', item.date)::date,
    (cell / 36000 + 0.5) / 100 - 90, (cell % 36000 + 0.5) / 100 - 180,
    count(DISTINCT item.user_name), count(*),
    round(sum(item.end_ns - item.start_ns) / 3.6e12)::double precision,
    round(avg(item.end_ns - item.start_ns) / 6e10)::double precision
  FROM archive.items AS item
  JOIN archive.days AS day USING (user_name, device, date)
  CROSS JOIN LATERAL unnest(item.cells) AS cell
  WHERE day.is_primary AND item.kind = 'stay'
  GROUP BY date_trunc('month', item.date), cell
  HAVING count(DISTINCT item.user_name) >= analysis.least_people()
  ORDER BY date_trunc('month', item.date), cell;
END;

-- The names under which programs that know tables only find them.
CREATE VIEW analysis.mode_share_per_week WITH (security_invoker = true) AS
  SELECT * FROM analysis.all_mode_share_per_week();
CREATE VIEW analysis.trips_per_cell WITH (security_invoker = true) AS
  SELECT *, ST_MakeEnvelope(
    longitude - 0.005, latitude - 0.005, longitude + 0.005, latitude + 0.005, 4326) AS cell
  FROM analysis.all_trips_per_cell();
CREATE VIEW analysis.dwell_per_cell WITH (security_invoker = true) AS
  SELECT *, ST_MakeEnvelope(
    longitude - 0.005, latitude - 0.005, longitude + 0.005, latitude + 0.005, 4326) AS cell
  FROM analysis.all_dwell_per_cell();

GRANT EXECUTE ON FUNCTION archive.cell, archive.cells TO locomotion_collector;
GRANT EXECUTE ON FUNCTION analysis.least_people TO locomotion_aggregator;
GRANT EXECUTE ON FUNCTION analysis.all_mode_share_per_week, analysis.all_trips_per_cell,
  analysis.all_dwell_per_cell
  TO locomotion_analyst;
GRANT SELECT ON analysis.mode_share_per_week, analysis.trips_per_cell, analysis.dwell_per_cell
  TO locomotion_analyst;

SELECT archive.seal('analysis.all_mode_share_per_week'::regproc);
SELECT archive.seal('analysis.all_trips_per_cell'::regproc);
SELECT archive.seal('analysis.all_dwell_per_cell'::regproc);
