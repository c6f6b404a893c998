-- The row of a key's creation.
CREATE OR REPLACE FUNCTION first_key_lineage(of_key char(12)) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT id FROM key_lineage WHERE key_id = of_key AND is_first
$$;
