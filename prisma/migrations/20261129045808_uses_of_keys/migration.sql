-- Requests of keys by hour, operation, status, address group and secret. Slot 0 is what exceeds the slots of an hour.
CREATE TABLE api_key_uses (
  key_id CHAR(12) NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE CASCADE,
  start TIMESTAMPTZ(3) NOT NULL,
  slot SMALLINT NOT NULL CHECK (slot BETWEEN 0 AND 200),
  operation TEXT,
  status SMALLINT,
  address TEXT,
  previous BOOLEAN,
  requests BIGINT NOT NULL,
  PRIMARY KEY (key_id, start, slot)
) WITH (fillfactor = 80);
-- For the deletion of old rows.
CREATE INDEX api_key_uses_start_idx ON api_key_uses (start);

-- The last day on which a request of a key needed a scope.
CREATE TABLE api_key_scope_uses (
  key_id CHAR(12) NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE ON UPDATE CASCADE,
  scope TEXT NOT NULL,
  last_used_on DATE NOT NULL,
  PRIMARY KEY (key_id, scope)
);

-- The last use of each secret.
ALTER TABLE api_key_secrets ADD COLUMN last_used_at TIMESTAMPTZ(3), ADD COLUMN last_used_ip TEXT;

-- Keys that exist have the time of this migration. Later ones have none: they are counted from their creation on.
ALTER TABLE api_keys ADD COLUMN uses_counted_from TIMESTAMPTZ(3) DEFAULT now();
ALTER TABLE api_keys ALTER COLUMN uses_counted_from DROP DEFAULT;
