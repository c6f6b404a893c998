-- What identity tokens a workload key accepts: how often each, and for which audience.
ALTER TABLE workload_identities
  -- Whether each identity token is exchanged once. True for the keys that exist already.
  ADD COLUMN single_use BOOLEAN NOT NULL DEFAULT true,
  -- Null: the audience that contains the id of the key.
  ADD COLUMN audience TEXT;

-- The audiences that were chosen, and the key that each leads to. Another key takes the place of one that is revoked or
-- has expired.
CREATE TABLE workload_audiences (
  audience TEXT NOT NULL,
  issuer TEXT NOT NULL,
  key_id CHAR(12) NOT NULL REFERENCES api_keys (id) ON UPDATE CASCADE ON DELETE CASCADE,
  PRIMARY KEY (audience, issuer)
);
CREATE INDEX workload_audiences_key_id_idx ON workload_audiences (key_id);
