-- Who sees which rows, and who may call what. It comes last, since only who owns a function can grant
-- it, and the functions that look at all users' rows are given to `locomotion_aggregator` here.
--
-- A migration that changes rows must know that row-level security binds the owner too: it sees no
-- row, unless it says ALTER TABLE … NO FORCE ROW LEVEL SECURITY and FORCE again at its end.

-- A connection sees and writes the rows of the user whom it names, and none without a name. The
-- setting is '' again after a transaction that has set it.
CREATE POLICY own ON archive.users
  USING (name = nullif(current_setting('locomotion.user', true), ''))
  WITH CHECK (name = nullif(current_setting('locomotion.user', true), ''));
ALTER TABLE archive.users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

CREATE POLICY own ON archive.erased_users
  USING (name_digest
    = archive.erasure_digest(nullif(current_setting('locomotion.user', true), '')))
  WITH CHECK (name_digest
    = archive.erasure_digest(nullif(current_setting('locomotion.user', true), '')));
ALTER TABLE archive.erased_users ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;

DO $$
DECLARE
  own text := 'user_name = nullif(current_setting(''locomotion.user'', true), '''')';
  name text;
BEGIN
  FOREACH name IN ARRAY
    ARRAY['devices', 'units', 'withdrawn_units', 'measurements', 'places', 'days', 'travel',
      'items', 'sampled_people']
  LOOP
    EXECUTE format('CREATE POLICY own ON archive.%I USING (%s) WITH CHECK (%s)', name, own, own);
    EXECUTE format(
      'ALTER TABLE archive.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name);
  END LOOP;
END
$$;

-- What `locomotion-server collect` does.
GRANT SELECT, INSERT, UPDATE, DELETE ON
  archive.users, archive.devices, archive.units, archive.withdrawn_units, archive.measurements,
  archive.places, archive.days, archive.travel, archive.items, archive.erased_users
  TO locomotion_collector;
GRANT SELECT ON archive.erasure_key, archive.sampled_people, archive.daily_totals,
  archive.storyline, archive.mode_share_per_week
  TO locomotion_collector;
GRANT EXECUTE ON FUNCTION archive.instant, archive.cell, archive.cells, archive.erasure_digest,
  archive.seconds, archive.way, archive.items_of, archive.choose_primary, archive.store_day,
  archive.remove_day, archive.keys_near, archive.keys_through, archive.stays_near,
  archive.trips_through, archive.storyline_json, archive.expected_right, archive.unfinished_users,
  archive.publish_next
  TO locomotion_collector;

-- What the functions do that look at all users' rows.
GRANT USAGE ON SCHEMA archive, analysis TO locomotion_aggregator;
GRANT SELECT ON
  archive.users, archive.devices, archive.units, archive.withdrawn_units, archive.days,
  archive.travel, archive.items
  TO locomotion_aggregator;
GRANT SELECT, INSERT, UPDATE, DELETE ON archive.editions, archive.sampled_people
  TO locomotion_aggregator;
GRANT SELECT, INSERT, DELETE ON
  analysis.mode_share_per_week, analysis.trips_per_cell, analysis.dwell_per_cell
  TO locomotion_aggregator;
GRANT EXECUTE ON FUNCTION archive.instant, analysis.least_people, archive.capped_sum,
  archive.fingerprint, archive.sampled_days, archive.publish_week, archive.publish_month
  TO locomotion_aggregator;

-- What is published.
GRANT USAGE ON SCHEMA analysis TO locomotion_analyst;
GRANT SELECT ON analysis.mode_share_per_week, analysis.trips_per_cell, analysis.dwell_per_cell
  TO locomotion_analyst;

-- With every setting fixed that could change an answer.
SELECT archive.seal('archive.keys_near'::regproc);
SELECT archive.seal('archive.keys_through'::regproc);
SELECT archive.seal('archive.list_users'::regproc);
SELECT archive.seal('archive.unfinished_users'::regproc);
SELECT archive.seal('archive.publish_next'::regproc);
