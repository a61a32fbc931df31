-- What an analyst sees of all, as it is published: per closed week or month, from a random half of
-- the people, in cells of at least ten of them.
--
-- Answers about all people as they are now could be subtracted from each other: yesterday's from
-- today's, between which one person was erased or has sent. So a period is published once, and once
-- more in a month when something in it has changed. Each edition counts another random half, so
-- that two of them differ by many people's contributions, whoever else has come or gone: by ten
-- people's at least in every cell that is shown.

CREATE SCHEMA analysis;

CREATE FUNCTION analysis.least_people() RETURNS integer
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN 10;

CREATE TABLE analysis.mode_share_per_week (
  week date NOT NULL,
  activity text NOT NULL,
  people bigint NOT NULL,
  seconds double precision NOT NULL,
  distance double precision,
  share double precision,
  PRIMARY KEY (week, activity)
);

CREATE TABLE analysis.trips_per_cell (
  month date NOT NULL,
  latitude double precision NOT NULL,
  longitude double precision NOT NULL,
  people bigint NOT NULL,
  trips bigint NOT NULL,
  cell geometry(Polygon, 4326) GENERATED ALWAYS AS (ST_MakeEnvelope(
    longitude - 0.005, latitude - 0.005, longitude + 0.005, latitude + 0.005, 4326)) STORED,
  PRIMARY KEY (month, latitude, longitude)
);

CREATE TABLE analysis.dwell_per_cell (
  month date NOT NULL,
  latitude double precision NOT NULL,
  longitude double precision NOT NULL,
  people bigint NOT NULL,
  stays bigint NOT NULL,
  hours double precision NOT NULL,
  mean_minutes double precision NOT NULL,
  cell geometry(Polygon, 4326) GENERATED ALWAYS AS (ST_MakeEnvelope(
    longitude - 0.005, latitude - 0.005, longitude + 0.005, latitude + 0.005, 4326)) STORED,
  PRIMARY KEY (month, latitude, longitude)
);

-- The newest edition of each period.
CREATE TABLE archive.editions (
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('week', 'month')),
  period date NOT NULL,
  made timestamptz NOT NULL,
  -- When it was last compared with what there is.
  checked date NOT NULL,
  -- Of the keys and revisions of the days in the period.
  fingerprint text NOT NULL,
  PRIMARY KEY (kind, period)
);

-- Whom it counts.
CREATE TABLE archive.sampled_people (
  user_name text COLLATE "C" NOT NULL REFERENCES archive.users ON DELETE CASCADE,
  kind text COLLATE "C" NOT NULL,
  period date NOT NULL,
  -- Of the edition that is being made.
  is_next boolean NOT NULL DEFAULT true,
  PRIMARY KEY (user_name, kind, period, is_next)
);

CREATE INDEX sampled_people_period ON archive.sampled_people (kind, period);

-- The sum of amounts, the largest first, of which none counts for more than the fifth: who makes up
-- nearly all of a sum would be seen in it.
CREATE FUNCTION archive.capped_sum(amounts double precision[]) RETURNS double precision
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
  RETURN (SELECT sum(least(amount, amounts[5])) FROM unnest(amounts) AS amount);

-- What changes when a day in an interval does.
CREATE FUNCTION archive.fingerprint(first date, after date) RETURNS text
  LANGUAGE sql STABLE
BEGIN ATOMIC
  SELECT md5(coalesce(string_agg(
    ROW(user_name, device, date, revision, updated, is_primary)::text, ','
    ORDER BY user_name, device, date), ''))
  FROM archive.days WHERE date >= first AND date < after;
END;

-- The primary days of the people whom the next edition of a period counts, or the one before it.
--
-- `is_change` says whether the person makes a difference between the two: only one of them counts
-- the person, and if that is the one before, then with these days.
CREATE FUNCTION archive.sampled_days(kind text, first date, after date)
  RETURNS TABLE (
    user_name text, device text, date date, is_counted boolean, is_change boolean
  )
  LANGUAGE sql STABLE
BEGIN ATOMIC
  WITH sample AS (
    SELECT person.user_name, bool_or(person.is_next) AS is_counted, count(*) = 1 AS is_change
    FROM archive.sampled_people AS person
    WHERE person.kind = sampled_days.kind AND person.period = first
    GROUP BY person.user_name
  )
  SELECT day.user_name, day.device, day.date, sample.is_counted,
    sample.is_change AND (sample.is_counted OR NOT EXISTS (
      SELECT FROM archive.days AS changed
      WHERE changed.user_name = day.user_name AND changed.date >= first AND changed.date < after
        -- A transaction may have begun before the edition and ended after it.
        AND changed.updated >= (
          SELECT edition.made - interval '1 hour' FROM archive.editions AS edition
          WHERE edition.kind = sampled_days.kind AND edition.period = first)
    ))
  FROM archive.days AS day
  JOIN sample ON sample.user_name = day.user_name
  WHERE day.is_primary AND day.date >= first AND day.date < after;
END;

-- Publishes what those have travelled whom a week's next edition counts.
CREATE FUNCTION archive.publish_week(first date, is_first boolean) RETURNS void
  LANGUAGE sql
BEGIN ATOMIC
  DELETE FROM analysis.mode_share_per_week WHERE week = first;
  WITH people AS (
    SELECT travel.activity, day.is_counted, day.is_change, sum(travel.seconds) AS seconds,
      sum(travel.distance) AS distance
    FROM archive.sampled_days('week', first, first + 7) AS day
    JOIN archive.travel AS travel USING (user_name, device, date)
    WHERE travel.seconds > 0
    GROUP BY travel.activity, day.user_name, day.is_counted, day.is_change
  ), cells AS (
    SELECT activity, count(*) FILTER (WHERE is_counted) AS people,
      archive.capped_sum(
        array_agg(seconds ORDER BY seconds DESC) FILTER (WHERE is_counted)) AS seconds,
      -- The sum over those who know their distance, if they are enough for themselves.
      CASE
        WHEN count(*) FILTER (WHERE is_counted AND distance IS NOT NULL) >= analysis.least_people()
          AND (is_first OR count(*) FILTER (WHERE is_change AND distance IS NOT NULL)
            >= analysis.least_people())
        THEN archive.capped_sum(array_agg(distance ORDER BY distance DESC)
          FILTER (WHERE is_counted AND distance IS NOT NULL))
      END AS distance
    FROM people
    GROUP BY activity
    HAVING count(*) FILTER (WHERE is_counted) >= analysis.least_people()
      AND (is_first OR count(*) FILTER (WHERE is_change) >= analysis.least_people())
  )
  INSERT INTO analysis.mode_share_per_week
  -- Shares of what is shown: what is missing from 1 would be the time of fewer people. Rounded, as
  -- the digits of a sum tell who is in it.
  SELECT first, activity, people, round(seconds / 600) * 600, round(distance / 1000) * 1000,
    round(seconds / 600) / nullif(sum(round(seconds / 600)) OVER (), 0)
  FROM cells;
END;

-- Publishes where those have been whom a month's next edition counts.
CREATE FUNCTION archive.publish_month(first date, is_first boolean) RETURNS void
  LANGUAGE sql
BEGIN ATOMIC
  DELETE FROM analysis.trips_per_cell WHERE month = first;
  DELETE FROM analysis.dwell_per_cell WHERE month = first;
  WITH trips AS (
    SELECT DISTINCT day.user_name, day.is_counted, day.is_change, item.date, item.device,
      coalesce(item.trip, item.number) AS trip, cell
    FROM archive.sampled_days('month', first, (first + interval '1 month')::date) AS day
    JOIN archive.items AS item USING (user_name, device, date)
    CROSS JOIN LATERAL unnest(item.cells) AS cell
    WHERE item.kind IN ('trip', 'leg')
  ), people AS (
    SELECT cell, is_counted, is_change, count(*) AS trips
    FROM trips GROUP BY cell, user_name, is_counted, is_change
  )
  INSERT INTO analysis.trips_per_cell
  SELECT first, (cell / 36000 + 0.5) / 100 - 90, (cell % 36000 + 0.5) / 100 - 180,
    count(*) FILTER (WHERE is_counted),
    archive.capped_sum(
      array_agg(trips::double precision ORDER BY trips DESC) FILTER (WHERE is_counted))
  FROM people
  GROUP BY cell
  HAVING count(*) FILTER (WHERE is_counted) >= analysis.least_people()
    AND (is_first OR count(*) FILTER (WHERE is_change) >= analysis.least_people());
  WITH people AS (
    SELECT cell, day.is_counted, day.is_change, count(*) AS stays,
      sum((item.end_ns - item.start_ns) / 3.6e12::double precision) AS hours
    FROM archive.sampled_days('month', first, (first + interval '1 month')::date) AS day
    JOIN archive.items AS item USING (user_name, device, date)
    CROSS JOIN LATERAL unnest(item.cells) AS cell
    WHERE item.kind = 'stay'
    GROUP BY cell, day.user_name, day.is_counted, day.is_change
  ), cells AS (
    SELECT cell, count(*) FILTER (WHERE is_counted) AS people,
      archive.capped_sum(
        array_agg(stays::double precision ORDER BY stays DESC) FILTER (WHERE is_counted)) AS stays,
      archive.capped_sum(
        array_agg(hours ORDER BY hours DESC) FILTER (WHERE is_counted)) AS hours
    FROM people
    GROUP BY cell
    HAVING count(*) FILTER (WHERE is_counted) >= analysis.least_people()
      AND (is_first OR count(*) FILTER (WHERE is_change) >= analysis.least_people())
  )
  INSERT INTO analysis.dwell_per_cell
  SELECT first, (cell / 36000 + 0.5) / 100 - 90, (cell % 36000 + 0.5) / 100 - 180, people,
    stays, round(hours), round(hours * 60 / stays)
  FROM cells;
END;

-- Publishes one period that is due, if there is one, and says whether there may be another.
--
-- A period is due a week after its end, and again in a later month if its days have changed. One
-- period a call, and its people before anything is deleted, so that whoever erases a person waits
-- for it rather than the one for the other. Of several at once one waits for the other.
CREATE FUNCTION archive.publish_next(
  today date DEFAULT (now() AT TIME ZONE 'UTC')::date
)
  RETURNS boolean
  LANGUAGE plpgsql
AS $$
DECLARE
  due record;
  print text;
BEGIN
  LOCK TABLE archive.editions IN SHARE ROW EXCLUSIVE MODE;
  FOR due IN
    SELECT known.kind, known.first, known.after, edition.fingerprint
    FROM (
      SELECT 'week' AS kind, week AS first, week + 7 AS after
      FROM (
        SELECT DISTINCT date_trunc('week', date::timestamp)::date AS week FROM archive.days
        UNION SELECT period FROM archive.editions WHERE kind = 'week'
      ) AS weeks
      UNION ALL
      SELECT 'month', month, (month + interval '1 month')::date
      FROM (
        SELECT DISTINCT date_trunc('month', date::timestamp)::date AS month FROM archive.days
        UNION SELECT period FROM archive.editions WHERE kind = 'month'
      ) AS months
    ) AS known
    LEFT JOIN archive.editions AS edition
      ON edition.kind = known.kind AND edition.period = known.first
    WHERE known.after + 7 <= today
      AND (edition.checked IS NULL OR edition.checked < date_trunc('month', today::timestamp))
    ORDER BY known.first, known.kind
  LOOP
    print := archive.fingerprint(due.first, due.after);
    IF print = due.fingerprint THEN
      UPDATE archive.editions SET checked = today WHERE kind = due.kind AND period = due.first;
      CONTINUE;
    END IF;
    INSERT INTO archive.sampled_people (user_name, kind, period)
    SELECT user_name, due.kind, due.first
    FROM (
      SELECT DISTINCT user_name FROM archive.days
      WHERE is_primary AND date >= due.first AND date < due.after
    ) AS person
    -- A coin for each, of the server's strong random numbers.
    WHERE get_byte(uuid_send(gen_random_uuid()), 0) < 128
    ORDER BY user_name;
    IF due.kind = 'week' THEN
      PERFORM archive.publish_week(due.first, due.fingerprint IS NULL);
    ELSE
      PERFORM archive.publish_month(due.first, due.fingerprint IS NULL);
    END IF;
    DELETE FROM archive.sampled_people
    WHERE kind = due.kind AND period = due.first AND NOT is_next;
    UPDATE archive.sampled_people SET is_next = false
    WHERE kind = due.kind AND period = due.first;
    INSERT INTO archive.editions VALUES (due.kind, due.first, now(), today, print)
    ON CONFLICT (kind, period) DO UPDATE
    SET (made, checked, fingerprint) = (excluded.made, excluded.checked, excluded.fingerprint);
    RETURN true;
  END LOOP;
  RETURN false;
END
$$;
