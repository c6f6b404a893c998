-- Needs a stop: indexes of partitioned tables are built under locks.
--
-- Indexes by a value of an organization have the hash of both instead: a key of 8 bytes instead of 30 to 60. Each delivery is
-- in three of them, and each event in two. PostgreSQL uses the statistics of an expression only if its index is not partial.
DO $$
BEGIN
  CREATE INDEX deliveries_type_key_idx ON deliveries
    (hashtextextended(event_type, uuid_hash_extended(tenant_id, 0)), id DESC);
  DROP INDEX deliveries_tenant_id_event_type_id_idx;
  CREATE INDEX deliveries_account_key_idx ON deliveries
    (hashtextextended(account_id, uuid_hash_extended(tenant_id, 0)), id DESC);
  DROP INDEX deliveries_account_idx;
  CREATE INDEX deliveries_name_key_idx ON deliveries
    (hashtextextended(lower(event_name COLLATE "und-x-icu") COLLATE "C", uuid_hash_extended(tenant_id, 0)), id DESC)
    WHERE event_name IS NOT NULL;
  DROP INDEX deliveries_name_hash_idx;
  CREATE INDEX events_log_object_key_idx ON events
    (hashtextextended(object_id, uuid_hash_extended(tenant_id, 0)), position);
  DROP INDEX events_log_object_idx;
  CREATE INDEX events_log_account_key_idx ON events
    (hashtextextended(account_id, uuid_hash_extended(tenant_id, 0)), position);
  DROP INDEX events_log_account_idx;
END
$$;
