-- What each process of the installation counted in ten seconds, for the operators' page. Kept for a day.
CREATE TABLE operations_samples (
  at TIMESTAMPTZ(3) NOT NULL,
  process_id UUID NOT NULL,
  kind TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  published INTEGER NOT NULL,
  attempted INTEGER NOT NULL,
  latencies INTEGER[] NOT NULL,
  oldest_due_ms BIGINT,
  failed TEXT[] NOT NULL,
  PRIMARY KEY (at, process_id)
);
