-- Sets the time of a changed record.
CREATE OR REPLACE FUNCTION stamp_directory_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('UPDATE %I SET updated_at = $1 WHERE id = $2 AND updated_at <> $1', TG_TABLE_NAME)
  USING directory_change_time(), NEW.id;
  RETURN NULL;
END
$$;

DROP TRIGGER IF EXISTS tenants_stamp_new ON tenants;
CREATE CONSTRAINT TRIGGER tenants_stamp_new AFTER INSERT ON tenants
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION stamp_directory_change();

DROP TRIGGER IF EXISTS tenants_stamp ON tenants;
CREATE CONSTRAINT TRIGGER tenants_stamp AFTER UPDATE ON tenants
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.slug, OLD.name, OLD.edition, OLD.deleted_at)
    IS DISTINCT FROM (NEW.slug, NEW.name, NEW.edition, NEW.deleted_at))
  EXECUTE FUNCTION stamp_directory_change();

DROP TRIGGER IF EXISTS accounts_stamp_new ON accounts;
CREATE CONSTRAINT TRIGGER accounts_stamp_new AFTER INSERT ON accounts
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION stamp_directory_change();

DROP TRIGGER IF EXISTS accounts_stamp ON accounts;
CREATE CONSTRAINT TRIGGER accounts_stamp AFTER UPDATE ON accounts
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.name IS DISTINCT FROM NEW.name)
  EXECUTE FUNCTION stamp_directory_change();

DROP TRIGGER IF EXISTS users_stamp_new ON users;
CREATE CONSTRAINT TRIGGER users_stamp_new AFTER INSERT ON users
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'human')
  EXECUTE FUNCTION stamp_directory_change();

DROP TRIGGER IF EXISTS users_stamp ON users;
CREATE CONSTRAINT TRIGGER users_stamp AFTER UPDATE ON users
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.kind = 'human' AND (OLD.email, OLD.name, OLD.status, OLD.roles, OLD.password_hash, OLD.deleted_at)
    IS DISTINCT FROM (NEW.email, NEW.name, NEW.status, NEW.roles, NEW.password_hash, NEW.deleted_at))
  EXECUTE FUNCTION stamp_directory_change();
