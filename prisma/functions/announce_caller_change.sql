-- Announces to every process, at commit, that sessions may have ended or permissions may have changed. The payload is
-- the id of the user or organization.
CREATE OR REPLACE FUNCTION announce_caller_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('caller_changed', to_jsonb(NEW)->>TG_ARGV[0]);
  -- An impersonation changes the user of its session.
  IF to_jsonb(OLD)->>TG_ARGV[0] <> to_jsonb(NEW)->>TG_ARGV[0] THEN
    PERFORM pg_notify('caller_changed', to_jsonb(OLD)->>TG_ARGV[0]);
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER panel_sessions_announce AFTER UPDATE OF revoked_at, secret_hash ON panel_sessions
  FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at OR OLD.secret_hash <> NEW.secret_hash)
  EXECUTE FUNCTION announce_caller_change('user_id');

CREATE OR REPLACE TRIGGER users_announce AFTER UPDATE OF status, roles, deleted_at ON users
  FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.roles IS DISTINCT FROM NEW.roles
    OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION announce_caller_change('id');

CREATE OR REPLACE TRIGGER tenants_announce AFTER UPDATE OF deleted_at ON tenants
  FOR EACH ROW WHEN (OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
  EXECUTE FUNCTION announce_caller_change('id');
