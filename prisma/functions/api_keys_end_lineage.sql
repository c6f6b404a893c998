-- A revoked key has ended in every row of its lineage.
CREATE OR REPLACE FUNCTION api_keys_end_lineage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE key_lineage SET ended_at = coalesce(ended_at, NEW.revoked_at) WHERE key_id = NEW.id;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER api_keys_end_lineage AFTER UPDATE OF revoked_at ON api_keys
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
  EXECUTE FUNCTION api_keys_end_lineage();
