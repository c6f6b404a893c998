-- The ancestor of a row at a depth, or the row itself.
CREATE OR REPLACE FUNCTION key_lineage_at(row_id uuid, at_depth integer) RETURNS uuid LANGUAGE plpgsql STABLE AS $$
DECLARE
  place key_lineage;
BEGIN
  SELECT * INTO place FROM key_lineage WHERE id = row_id;
  WHILE place.depth > at_depth LOOP
    SELECT * INTO place FROM key_lineage
    WHERE id = CASE WHEN place.jump_depth >= at_depth THEN place.jump_id ELSE place.parent_id END;
  END LOOP;
  RETURN place.id;
END
$$;
