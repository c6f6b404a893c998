-- For lists of a user's keys that leave out revoked ones.
CREATE INDEX CONCURRENTLY api_keys_unrevoked_of_user_idx ON api_keys (user_id, created_at DESC, id DESC)
WHERE revoked_at IS NULL;
