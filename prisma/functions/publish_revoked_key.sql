-- A key that is revoked, in any way, is an event.
CREATE OR REPLACE FUNCTION publish_revoked_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM publish_key_event('api_key.revoked', NEW);
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER api_keys_publish_revoked AFTER UPDATE OF revoked_at ON api_keys
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION publish_revoked_key();
