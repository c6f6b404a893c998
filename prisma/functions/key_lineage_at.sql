-- The ancestor of a row at a depth, or the row itself.
CREATE OR REPLACE FUNCTION key_lineage_at(row_id uuid, at_depth integer) RETURNS uuid LANGUAGE plpgsql STABLE AS $$
DECLARE
  ancestor key_lineage;
BEGIN
  SELECT * INTO ancestor FROM key_lineage WHERE id = row_id;
  WHILE ancestor.depth > at_depth LOOP
    SELECT * INTO ancestor FROM key_lineage
    WHERE id = CASE WHEN ancestor.jump_depth >= at_depth THEN ancestor.jump_id ELSE ancestor.parent_id END;
  END LOOP;
  RETURN ancestor.id;
END
$$;
