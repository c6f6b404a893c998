-- The response codes of the attempts of a row, 0 without a response, and how often each occurred. Like the durations, the
-- codes of a row that is not merged have no counts. Rows of the release before have no codes.
ALTER TABLE attempt_stats
  ADD COLUMN codes INTEGER[],
  ADD COLUMN code_counts INTEGER[];
