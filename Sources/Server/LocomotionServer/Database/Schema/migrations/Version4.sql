-- The digest of the device's unit before each, by which a unit that doesn't continue those that are
-- here is known: two copies of a phone's journal go on under one name. Null for a device's first
-- unit, and for units of version 1, which don't tell it.
ALTER TABLE archive.units ADD COLUMN predecessor text COLLATE "C"
  CHECK (predecessor ~ '^[0-9a-f]{64}$');
