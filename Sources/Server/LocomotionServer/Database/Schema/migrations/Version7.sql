-- A day is stored as its JSON: `json`, which people read, byte for byte, and from its exact form
-- (`Day.exactJSON` of LocomotionJournal) the columns of `days` and the rows of `travel` and
-- `items` are computed here. Rows of older versions have the same columns and stay as they are.

-- Seconds of a time, with the same bits as `Timestamp.seconds(since:)`.
CREATE FUNCTION archive.seconds(nanoseconds bigint) RETURNS double precision
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN (nanoseconds / 1000000000)::double precision
    + (nanoseconds % 1000000000)::double precision / 1e9::double precision;

-- A way from its points, `[longitude,latitude],…`; of one point, from there to there.
CREATE FUNCTION archive.way(points text) RETURNS geography
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN ST_GeomFromGeoJSON('{"type":"LineString","coordinates":[' || points
    || CASE json_array_length(('[' || points || ']')::json) WHEN 1 THEN ',' || points ELSE '' END
    || ']}')::geography;

-- The items of a day: each segment, and after a trip its legs.
CREATE FUNCTION archive.items_of(segments json)
  RETURNS TABLE (
    number integer, kind text, trip integer, start_ns bigint, end_ns bigint, activity text,
    distance double precision, steps double precision, "position" geography,
    radius double precision, path geography, place_name text, purpose text,
    is_corrected boolean, is_partial boolean
  )
  LANGUAGE sql IMMUTABLE STRICT ROWS 50
BEGIN ATOMIC
  WITH known AS (
    -- The place among all items: before it are the segments before it, and their legs.
    SELECT *, (ordinality - 1 + coalesce(sum(json_array_length(activities)) OVER (
      ORDER BY ordinality ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0))::integer AS number
    FROM ROWS FROM (json_to_recordset(segments) AS (type text, partial boolean,
      "exactTimes" bigint[], place json, purpose text, activities json)) WITH ORDINALITY
  ), legs AS MATERIALIZED (
    SELECT (known.number + leg.ordinality)::integer AS number, known.number AS trip,
      leg.times[1] AS start_ns, leg.times[2] AS end_ns,
      nullif(leg.activity, 'unknown') AS activity, leg.distance, leg.steps,
      nullif(substr(leg.path::text, 2, length(leg.path::text) - 2), '') AS points,
      leg.manual AS is_corrected, known.partial AS is_partial
    FROM known CROSS JOIN LATERAL ROWS FROM (json_to_recordset(known.activities) AS (
      activity text, manual boolean, "exactTimes" bigint[], "exactDistance" double precision,
      "exactSteps" double precision, path json)) WITH ORDINALITY
      AS leg (activity, manual, times, distance, steps, path, ordinality)
  ), trips AS (
    SELECT legs.trip, sum(legs.distance ORDER BY legs.number) AS distance,
      sum(legs.steps ORDER BY legs.number) AS steps, bool_or(legs.is_corrected) AS is_corrected,
      archive.way(string_agg(legs.points, ',' ORDER BY legs.number)) AS path,
      -- That of most of its time; of two with as much, the first one.
      (SELECT part.activity FROM legs AS part WHERE part.trip = legs.trip
        GROUP BY part.activity ORDER BY sum(part.end_ns - part.start_ns) DESC, min(part.number)
        LIMIT 1) AS activity
    FROM legs GROUP BY legs.trip
  )
  SELECT known.number,
    CASE known.type WHEN 'place' THEN 'stay' WHEN 'move' THEN 'trip' ELSE 'gap' END, NULL,
    known."exactTimes"[1], known."exactTimes"[2], trips.activity, trips.distance, trips.steps,
    ST_SetSRID(ST_MakePoint((known.place #>> '{location,lon}')::double precision,
      (known.place #>> '{location,lat}')::double precision), 4326)::geography,
    (known.place ->> 'radius')::double precision, trips.path, known.place ->> 'name',
    known.purpose, coalesce(trips.is_corrected, false), known.partial
  FROM known LEFT JOIN trips ON trips.trip = known.number
  UNION ALL
  SELECT legs.number, 'leg', legs.trip, legs.start_ns, legs.end_ns, legs.activity, legs.distance,
    legs.steps, NULL, NULL, archive.way(legs.points), NULL, NULL, legs.is_corrected,
    legs.is_partial
  FROM legs;
END;

-- The one rule for which of a person's devices counts on a date: the one that recorded most of it,
-- in seconds that are not in gaps; of equal ones the first by name.
CREATE FUNCTION archive.choose_primary(owner text, on_date date) RETURNS void
  LANGUAGE sql
BEGIN ATOMIC
  UPDATE archive.days AS day SET is_primary = NOT day.is_primary
  FROM (
    SELECT device FROM archive.days WHERE user_name = owner AND date = on_date
    ORDER BY recorded_seconds DESC, device LIMIT 1
  ) AS best
  WHERE day.user_name = owner AND day.date = on_date
    AND day.is_primary <> (day.device = best.device);
END;

-- Stores the day of a date: the text that people read, and its exact form.
CREATE FUNCTION archive.store_day(
  owner text, stream text, on_date date, story text, exact json
)
  RETURNS void
  LANGUAGE sql
BEGIN ATOMIC
  DELETE FROM archive.items WHERE user_name = owner AND device = stream AND date = on_date;
  DELETE FROM archive.travel WHERE user_name = owner AND device = stream AND date = on_date;
  WITH day AS MATERIALIZED (
    SELECT final, "timeZone" AS time_zone, "exactTimes" AS times, segments
    FROM json_to_record(exact) AS (
      final boolean, "timeZone" text, "exactTimes" bigint[], segments json)
  ), items AS MATERIALIZED (
    SELECT item.* FROM day CROSS JOIN LATERAL archive.items_of(day.segments) AS item
  ), parts AS MATERIALIZED (
    SELECT coalesce(activity, 'unknown') COLLATE "C" AS activity,
      sum(archive.seconds(end_ns - start_ns) ORDER BY number) AS seconds,
      sum(distance ORDER BY number) AS distance, coalesce(sum(steps ORDER BY number), 0) AS steps
    FROM items WHERE kind = 'leg' GROUP BY activity
    HAVING activity IS NOT NULL OR sum(end_ns - start_ns) > 0
  ), stays AS (
    SELECT coalesce(sum(archive.seconds(end_ns - start_ns) ORDER BY number), 0) AS seconds
    FROM items WHERE kind = 'stay'
  ), stored AS (
    INSERT INTO archive.days AS known (user_name, device, date, is_final, time_zone, start_ns,
      end_ns, recorded_seconds, stay_seconds, distance, steps, json)
    SELECT owner, stream, on_date, final, time_zone, times[1], times[2],
      -- In the order of `DayTotals`, so that the bits are the same.
      (SELECT sum(seconds ORDER BY is_travel, activity) FROM (
        SELECT false AS is_travel, '' COLLATE "C" AS activity, seconds FROM stays
        UNION ALL SELECT true, activity, seconds FROM parts) AS part),
      (SELECT seconds FROM stays),
      (SELECT sum(distance ORDER BY activity) FROM parts),
      (SELECT coalesce(sum(steps ORDER BY activity), 0) FROM parts), story
    FROM day
    ON CONFLICT (user_name, device, date) DO UPDATE
    SET (is_final, time_zone, start_ns, end_ns, recorded_seconds, stay_seconds, distance, steps,
        json, revision, updated) =
      (excluded.is_final, excluded.time_zone, excluded.start_ns, excluded.end_ns,
        excluded.recorded_seconds, excluded.stay_seconds, excluded.distance, excluded.steps,
        excluded.json, known.revision + 1, now())
    WHERE (known.is_final, known.time_zone, known.start_ns, known.end_ns, known.json)
      IS DISTINCT FROM (excluded.is_final, excluded.time_zone, excluded.start_ns,
        excluded.end_ns, excluded.json)
  ), travel AS (
    INSERT INTO archive.travel (user_name, device, date, activity, seconds, distance, steps)
    SELECT owner, stream, on_date, activity, seconds, distance, steps FROM parts
  )
  INSERT INTO archive.items (user_name, device, date, number, kind, trip, start_ns, end_ns,
    activity, distance, steps, position, radius, path, place_name, purpose, is_corrected,
    is_partial)
  SELECT owner, stream, on_date, items.* FROM items;
  SELECT archive.choose_primary(owner, on_date);
END;

-- Deletes a day, if there is one.
CREATE FUNCTION archive.remove_day(owner text, stream text, on_date date) RETURNS void
  LANGUAGE sql
BEGIN ATOMIC
  DELETE FROM archive.days WHERE user_name = owner AND device = stream AND date = on_date;
  SELECT archive.choose_primary(owner, on_date);
END;

GRANT EXECUTE ON FUNCTION archive.seconds, archive.way, archive.items_of, archive.choose_primary,
  archive.store_day, archive.remove_day
  TO locomotion_collector;
