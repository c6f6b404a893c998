-- The first key of the advisory locks of the event log. No other lock of the service has two keys.
CREATE OR REPLACE FUNCTION event_log_class() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT 1702260839 $$;
