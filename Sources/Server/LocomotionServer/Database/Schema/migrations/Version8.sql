-- How right a day's modes of travel are expected to be, and how much of its travel has no mode: what
-- tells, without a label, of a person or a phone on which the model drifts.

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

CREATE OR REPLACE VIEW archive.daily_totals WITH (security_invoker = true) AS
  SELECT date, device, revision, is_final, time_zone, recorded_seconds, stay_seconds, distance,
    steps,
    archive.expected_right(json) AS travel_expected_right,
    coalesce((
      SELECT travel.seconds FROM archive.travel AS travel
      WHERE travel.user_name = day.user_name AND travel.device = day.device
        AND travel.date = day.date AND travel.activity = 'unknown'), 0) AS travel_unknown_seconds
  FROM archive.days AS day
  WHERE is_primary;

GRANT EXECUTE ON FUNCTION archive.expected_right TO locomotion_collector;
