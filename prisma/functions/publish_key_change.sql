-- A key that is created or revoked, in any way, is an event.
CREATE OR REPLACE FUNCTION publish_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_key_event(CASE TG_OP WHEN 'INSERT' THEN 'api_key.created' ELSE 'api_key.revoked' END, NEW);
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER api_keys_publish_created AFTER INSERT ON api_keys
  FOR EACH ROW EXECUTE FUNCTION publish_key_change();

CREATE OR REPLACE TRIGGER api_keys_publish_revoked AFTER UPDATE OF revoked_at ON api_keys
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION publish_key_change();
