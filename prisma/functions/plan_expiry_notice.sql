-- Plans the first expiry notice of a key: the earliest that its life is long enough for.
CREATE OR REPLACE FUNCTION plan_expiry_notice() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  life interval := NEW.expires_at - NEW.created_at;
  days integer := (SELECT max(d) FROM unnest(:expiryNoticeDays) AS d WHERE life >= d * interval '24 hours');
BEGIN
  DELETE FROM key_expiry_notices WHERE key_id = NEW.id;
  IF days IS NOT NULL THEN
    INSERT INTO key_expiry_notices (key_id, days, due_at)
    VALUES (NEW.id, days, NEW.expires_at - days * interval '24 hours');
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER api_keys_plan_expiry_notice AFTER INSERT OR UPDATE OF expires_at ON api_keys
  FOR EACH ROW EXECUTE FUNCTION plan_expiry_notice();
