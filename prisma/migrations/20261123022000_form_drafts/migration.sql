-- Forms of the panel that their pages show again (docs/specification/panel.md#forms).
CREATE TABLE form_drafts (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  page TEXT NOT NULL,
  -- The fields and errors, sealed with a key that is derived from the server secret.
  content TEXT NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX form_drafts_user_id_idx ON form_drafts (user_id);
CREATE INDEX form_drafts_expires_at_idx ON form_drafts (expires_at);
