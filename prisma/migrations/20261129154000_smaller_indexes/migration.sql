-- Needs a stop: an index of a partitioned table is built under a lock.
--
-- Names are searched as a whole, so the index has their hashes: a quarter of the size, and of the write-ahead log. Rows of
-- usage are deleted long after they were merged, so a publish need not add to the index by date.
DO $$
BEGIN
  CREATE INDEX deliveries_name_hash_idx ON deliveries
    (tenant_id, hashtextextended(lower(event_name COLLATE "und-x-icu") COLLATE "C", 0), id DESC)
    WHERE event_name IS NOT NULL;
  DROP INDEX deliveries_name_idx;
  CREATE INDEX usage_counts_merged_idx ON usage_counts (date) WHERE merged;
  DROP INDEX usage_counts_date_idx;
END
$$;
