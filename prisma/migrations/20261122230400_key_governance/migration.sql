ALTER TABLE api_keys
  ADD COLUMN enabled BOOLEAN NOT NULL DEFAULT true,
  -- Empty: every account that the user can access.
  ADD COLUMN accounts UUID[] DEFAULT ARRAY[]::UUID[],
  -- The key that created it. Keys are never deleted, so a foreign key would only cost locks.
  ADD COLUMN parent_key_id CHAR(12);

-- The accounts that the approver limited the key to. Empty: not limited.
ALTER TABLE device_requests ADD COLUMN accounts UUID[] DEFAULT ARRAY[]::UUID[];
