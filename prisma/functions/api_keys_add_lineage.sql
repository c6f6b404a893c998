-- A key that is inserted as revoked has ended, too.
CREATE OR REPLACE FUNCTION api_keys_add_lineage() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  added uuid := add_key_lineage(NEW.id, coalesce(NEW.parent_lineage_id, first_key_lineage(NEW.parent_key_id)), true);
BEGIN
  IF NEW.revoked_at IS NOT NULL THEN
    UPDATE key_lineage SET ended_at = NEW.revoked_at WHERE id = added;
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER api_keys_add_lineage AFTER INSERT ON api_keys
  FOR EACH ROW EXECUTE FUNCTION api_keys_add_lineage();
