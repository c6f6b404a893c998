-- Counts the attempts of the last 8 days, which were inserted directly into the partitions, past the trigger.
SET LOCAL statement_timeout = 0;
INSERT INTO attempt_stats (tenant_id, endpoint_id, start, minutes, succeeded, failed, durations, counts)
SELECT tenant_id, endpoint_id, start, minutes, sum(succeeded), sum(failed),
  array_agg(duration ORDER BY duration), array_agg(succeeded + failed ORDER BY duration)
FROM (
  SELECT a.tenant_id, a.endpoint_id, b.start, b.minutes, round_duration(a.duration_ms) AS duration,
    count(*) FILTER (WHERE error_class IS NULL) AS succeeded,
    count(*) FILTER (WHERE error_class IS NOT NULL) AS failed
  FROM recorded_attempts a
  CROSS JOIN (SELECT date_bin('1 hour', now() - interval '2 hours', 'epoch') AS since) recent
  CROSS JOIN LATERAL (
    SELECT date_bin(CASE WHEN started_at >= since THEN interval '1 minute' ELSE interval '1 hour' END,
        started_at, 'epoch') AS start,
      CASE WHEN started_at >= since THEN 1 ELSE 60 END AS minutes
  ) b
  WHERE a.id >= uuid_v7_floor(now() - interval '8 days')
  GROUP BY 1, 2, 3, 4, 5
) bins
GROUP BY 1, 2, 3, 4;
