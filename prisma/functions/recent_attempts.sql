-- Counts the attempts of an endpoint from an hour on, for the failure rate. The hour is the one in which attempts started
-- that are recorded now. `attempt_stats` has whole hours once they are merged.
CREATE OR REPLACE FUNCTION recent_attempts(tenant uuid, endpoint uuid, OUT from_hour timestamptz, OUT attempts integer,
  OUT failed integer)
LANGUAGE sql STABLE AS $$
  SELECT h.start, coalesce(sum(s.succeeded + s.failed), 0)::integer, coalesce(sum(s.failed), 0)::integer
  FROM (SELECT date_trunc('hour', now() - interval '1 minute') AS start) h
  LEFT JOIN (
    SELECT start, succeeded, failed FROM attempt_stats WHERE tenant_id = tenant AND endpoint_id = endpoint
    UNION ALL
    SELECT start, (NOT u.failed)::integer, u.failed::integer FROM unmerged_attempts(tenant, endpoint) u
  ) s ON s.start >= h.start
  GROUP BY h.start
$$;
