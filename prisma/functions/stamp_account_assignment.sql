-- The accounts of a user are part of its record.
CREATE OR REPLACE FUNCTION stamp_account_assignment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE users SET updated_at = directory_change_time()
  WHERE id = coalesce(NEW.user_id, OLD.user_id) AND updated_at <> directory_change_time();
  RETURN NULL;
END
$$;

DROP TRIGGER IF EXISTS user_accounts_stamp ON user_accounts;
CREATE CONSTRAINT TRIGGER user_accounts_stamp AFTER INSERT OR DELETE ON user_accounts
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION stamp_account_assignment();
