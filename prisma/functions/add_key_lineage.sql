-- Adds the row of a key below another one, or as a root. A row that exists already is live again.
CREATE OR REPLACE FUNCTION add_key_lineage(of_key char(12), below uuid, creation boolean)
RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  new_id uuid := uuid_v7();
  above key_lineage;
  jumped key_lineage;
BEGIN
  SELECT * INTO above FROM key_lineage WHERE id = below;
  IF NOT FOUND THEN
    INSERT INTO key_lineage (id, key_id, is_first, root_id, depth, jump_id, jump_depth)
    VALUES (new_id, of_key, creation, new_id, 0, new_id, 0);
    RETURN new_id;
  END IF;
  SELECT * INTO jumped FROM key_lineage WHERE id = above.jump_id;
  -- Two jumps of the same length are joined to one.
  IF above.depth - jumped.depth <> jumped.depth - jumped.jump_depth THEN
    jumped.jump_id := above.id;
    jumped.jump_depth := above.depth;
  END IF;
  INSERT INTO key_lineage (id, key_id, is_first, parent_id, root_id, depth, jump_id, jump_depth)
  VALUES (new_id, of_key, creation, above.id, above.root_id, above.depth + 1, jumped.jump_id, jumped.jump_depth)
  ON CONFLICT (key_id, parent_id) DO UPDATE SET ended_at = NULL
  RETURNING id INTO new_id;
  RETURN new_id;
END
$$;
