-- Device logins that start at /oauth/device_authorization belong to a client and can be limited to scopes.
ALTER TABLE device_requests
  ADD COLUMN client_id text,
  ADD COLUMN requested_scopes text[] NOT NULL DEFAULT '{}';
