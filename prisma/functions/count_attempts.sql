-- Counts attempts in the transaction that records them, so the counts are exact even if a process is killed. Each
-- statement inserts its own rows, so no two statements wait for each other.
CREATE OR REPLACE FUNCTION count_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO attempt_stats (tenant_id, endpoint_id, start, succeeded, failed, durations)
  SELECT tenant_id, endpoint_id, date_bin(:attemptStatsMinutes * interval '1 minute', started_at, 'epoch'),
    count(*) FILTER (WHERE error_class IS NULL), count(*) FILTER (WHERE error_class IS NOT NULL),
    array_agg(duration_ms)
  FROM made GROUP BY 1, 2, 3;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER delivery_attempts_count AFTER INSERT ON delivery_attempts
  REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION count_attempts();
