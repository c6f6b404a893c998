-- Adds uses of keys to their daily usage and to the combinations of their hours. The arrays have one element per use.
--
-- Of a key and hour a limited number of combinations have a row; the rest share slot 0. The row of the daily usage is
-- locked first, so processes that add uses of a key and day take turns, and each finds all slots that were taken: in
-- READ COMMITTED, a statement of a function sees what was committed before it.
CREATE OR REPLACE FUNCTION add_key_uses(
  key_ids char(12)[], starts timestamptz[], operations text[], statuses integer[], addresses text[],
  are_previous boolean[], counts integer[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO api_key_usage AS k (key_id, date, requests, refused, rate_limited)
  SELECT u.key_id, (u.start AT TIME ZONE 'UTC')::date AS date, sum(u.count),
    coalesce(sum(u.count) FILTER (WHERE u.status = :refusedStatus), 0), coalesce(sum(u.count) FILTER (WHERE u.status = :rateLimitedStatus), 0)
  FROM unnest(key_ids, starts, statuses, counts) AS u (key_id, start, status, count)
  WHERE u.count > 0 AND EXISTS (SELECT 1 FROM api_keys WHERE id = u.key_id)
  GROUP BY 1, 2 ORDER BY u.key_id, date
  ON CONFLICT (key_id, date) DO UPDATE SET requests = k.requests + EXCLUDED.requests,
    refused = k.refused + EXCLUDED.refused, rate_limited = k.rate_limited + EXCLUDED.rate_limited;

  WITH used AS (
    SELECT u.key_id, u.start, u.operation, u.status, u.address, u.previous, sum(u.count) AS requests
    FROM unnest(key_ids, starts, operations, statuses, addresses, are_previous, counts)
      AS u (key_id, start, operation, status, address, previous, count)
    WHERE u.count > 0 AND EXISTS (SELECT 1 FROM api_keys WHERE id = u.key_id)
    GROUP BY 1, 2, 3, 4, 5, 6
  ), known AS (
    SELECT u.*, (
        SELECT k.slot FROM api_key_uses k
        WHERE k.key_id = u.key_id AND k.start = u.start AND k.slot > 0 AND k.status = u.status
          AND k.address = u.address AND k.previous = u.previous AND k.operation IS NOT DISTINCT FROM u.operation
      ) AS slot
    FROM used u
  ), placed AS (
    SELECT known.*, coalesce(slot, (
        SELECT coalesce(max(k.slot), 0) FROM api_key_uses k WHERE k.key_id = known.key_id AND k.start = known.start
      ) + row_number() OVER (
        PARTITION BY key_id, start, slot IS NULL ORDER BY address IS NULL, requests DESC, operation, status, address
      )) AS wanted
    FROM known
  ), slots AS (
    SELECT placed.*, wanted <= :keyUseCombinationsMax AND address IS NOT NULL AS fits FROM placed
  )
  INSERT INTO api_key_uses AS k (key_id, start, slot, operation, status, address, previous, requests)
  SELECT key_id, start, CASE WHEN fits THEN wanted ELSE 0 END, min(operation) FILTER (WHERE fits),
    CASE WHEN min(status) = max(status) THEN min(status) END, min(address) FILTER (WHERE fits),
    CASE WHEN bool_and(previous) = bool_or(previous) THEN bool_and(previous) END, sum(requests)
  FROM slots GROUP BY 1, 2, 3
  ON CONFLICT (key_id, start, slot) DO UPDATE SET requests = k.requests + EXCLUDED.requests,
    status = CASE WHEN k.status = EXCLUDED.status THEN k.status END,
    previous = CASE WHEN k.previous = EXCLUDED.previous THEN k.previous END;
END
$$;
