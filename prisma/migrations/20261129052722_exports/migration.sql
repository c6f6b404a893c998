-- Exports in progress, at most one of a key or person.
CREATE TABLE exports (
  caller TEXT NOT NULL PRIMARY KEY,
  id UUID NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL
);
