-- Links with which the platform signs a person in to the panel (docs/specification/sign-in.md#sign-in-links).
CREATE TABLE sign_in_links (
  id UUID PRIMARY KEY,
  user_id UUID NOT NULL REFERENCES users (id) ON DELETE CASCADE ON UPDATE CASCADE,
  token_hash BYTEA NOT NULL,
  return_to TEXT NOT NULL,
  -- Whether the platform had just confirmed the person's identity.
  confirmed BOOLEAN NOT NULL,
  created_at TIMESTAMPTZ(3) NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL,
  used_at TIMESTAMPTZ(3)
);
CREATE INDEX sign_in_links_user_id_idx ON sign_in_links (user_id);
CREATE INDEX sign_in_links_expires_at_idx ON sign_in_links (expires_at);
