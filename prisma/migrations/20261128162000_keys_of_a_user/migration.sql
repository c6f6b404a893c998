-- For the list of a user's keys, newest first.
CREATE INDEX CONCURRENTLY api_keys_user_id_created_at_id_idx ON api_keys (user_id, created_at DESC, id DESC);
