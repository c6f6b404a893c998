-- Needs a stop: processes of the releases before add their counts to the tables that now have merged ones only.
--
-- What statements recorded and published, until it is merged: one row for each statement, without any index, because the
-- rows are read and removed in the order in which they are stored. Rows of up to a page are stored as they are.
CREATE TABLE attempt_batches (
  tenant_ids UUID[] NOT NULL,
  endpoint_ids UUID[] NOT NULL,
  started_at TIMESTAMPTZ(3)[] NOT NULL,
  durations_ms INTEGER[] NOT NULL,
  status_codes INTEGER[] NOT NULL,
  error_classes TEXT[] NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000, toast_tuple_target = 8160);

CREATE TABLE usage_batches (
  date DATE NOT NULL,
  tenant_ids UUID[] NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000, toast_tuple_target = 8160);

DO $$
BEGIN
  -- A row that was not merged has each duration and each code once. Merging by the hour adds up rows of the same minute.
  UPDATE attempt_stats SET counts = array_fill(1, ARRAY[cardinality(durations)]),
    code_counts = CASE WHEN codes IS NOT NULL THEN array_fill(1, ARRAY[cardinality(codes)]) END
  WHERE counts IS NULL;
  DROP INDEX attempt_stats_unmerged_idx, attempt_stats_merged_idx;
  ALTER TABLE attempt_stats ALTER COLUMN counts SET NOT NULL;
  CREATE INDEX attempt_stats_minutes_idx ON attempt_stats (minutes, start);

  WITH taken AS (
    DELETE FROM usage_counts WHERE (tenant_id, date) IN (SELECT tenant_id, date FROM usage_counts WHERE NOT merged)
    RETURNING tenant_id, date, events, attempts
  )
  INSERT INTO usage_counts (tenant_id, date, merged, events, attempts)
  SELECT tenant_id, date, true, sum(events), sum(attempts) FROM taken GROUP BY 1, 2;
  ALTER TABLE usage_counts DROP CONSTRAINT usage_counts_pkey, DROP COLUMN id, DROP COLUMN merged;
  ALTER TABLE usage_counts ADD PRIMARY KEY (tenant_id, date);
  CREATE INDEX usage_counts_date_idx ON usage_counts (date);
END
$$;
