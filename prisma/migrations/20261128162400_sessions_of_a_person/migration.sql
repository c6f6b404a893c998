-- For the list of a person's sessions, newest first.
CREATE INDEX CONCURRENTLY panel_sessions_user_id_id_idx ON panel_sessions (user_id, id DESC);
