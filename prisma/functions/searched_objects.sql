-- The ids of the objects of an organization's finished deliveries from a text on and below another one, in lower case: the
-- first ones in their order, at most `most`. Each is one look into the index of objects of every partition.
--
-- A function, because its plan is kept: planning it for each search, with two scans of every partition, took longer than
-- running it.
CREATE OR REPLACE FUNCTION searched_objects(tenant uuid, lowest text, beyond text, most integer)
RETURNS SETOF text LANGUAGE plpgsql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off SET plan_cache_mode = force_generic_plan
AS $$
BEGIN
  RETURN QUERY
  WITH RECURSIVE object AS (
    (SELECT lower(d.object_id COLLATE "und-x-icu") COLLATE "C" AS id FROM deliveries d
     WHERE d.tenant_id = tenant AND lower(d.object_id COLLATE "und-x-icu") COLLATE "C" < beyond
       AND lower(d.object_id COLLATE "und-x-icu") COLLATE "C" >= lowest
     ORDER BY 1 LIMIT 1)
    UNION ALL
    SELECT next.id FROM object CROSS JOIN LATERAL (
      SELECT lower(d.object_id COLLATE "und-x-icu") COLLATE "C" AS id FROM deliveries d
      WHERE d.tenant_id = tenant AND lower(d.object_id COLLATE "und-x-icu") COLLATE "C" < beyond
        AND lower(d.object_id COLLATE "und-x-icu") COLLATE "C" > object.id COLLATE "C"
      ORDER BY 1 LIMIT 1) next
  )
  SELECT id FROM object LIMIT most;
END
$$;
