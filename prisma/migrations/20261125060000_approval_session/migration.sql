-- The session in which a device login was decided: once it has been ended, an approval is void.
ALTER TABLE device_requests ADD COLUMN decided_session_id UUID;
