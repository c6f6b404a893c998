-- Needs a stop: processes of the releases before call the functions that write notices.
--
-- Incidents that were opened, or closed by a success, until a worker has written their notices.
CREATE TABLE incident_notices (
  endpoint_id UUID NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE ON UPDATE CASCADE,
  incident_id UUID NOT NULL,
  type TEXT NOT NULL,
  details JSONB NOT NULL,
  PRIMARY KEY (incident_id, type)
);

-- With their triggers. A new database has none of them yet.
DROP FUNCTION IF EXISTS notify_of_new_key, plan_expiry_notice, notify_of_disabled_endpoint, publish_revoked_key CASCADE;
DROP FUNCTION IF EXISTS write_waiting_incident_notices, write_incident_notice, is_still_news, write_expiry_notices,
  write_second_factor_notices, write_notice, notice_of, notice_recipients, notice_category, wants_notice_mail, admins_of,
  owner_of_key, name_of_endpoint;
DO $$
BEGIN
  DELETE FROM applied_functions WHERE name IN ('notify_of_new_key', 'plan_expiry_notice', 'notify_of_disabled_endpoint',
    'publish_revoked_key', 'write_waiting_incident_notices', 'write_incident_notice', 'is_still_news',
    'write_expiry_notices', 'write_second_factor_notices', 'write_notice', 'notice_of', 'notice_recipients',
    'notice_category', 'wants_notice_mail', 'admins_of', 'owner_of_key', 'name_of_endpoint');
END
$$;
