-- A new key is a notice and an event. The person who created it in a session gets no notice.
CREATE OR REPLACE FUNCTION notify_of_new_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM write_notice(notice_recipients('api_key.created', NEW.tenant_id, owner_of_key(NEW)),
    notice_of('api_key.created', NEW.id, 'api_key', NEW.id, NEW.name,
    jsonb_build_object('kind', NEW.kind, 'source', NEW.source,
      'created_by', (SELECT name FROM users WHERE id = NEW.created_by_id))),
    CASE WHEN NEW.source IN ('panel', 'workload') AND NEW.parent_key_id IS NULL THEN NEW.created_by_id END);
  PERFORM publish_key_event('api_key.created', NEW);
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER api_keys_notify AFTER INSERT ON api_keys FOR EACH ROW EXECUTE FUNCTION notify_of_new_key();
