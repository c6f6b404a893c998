-- Lists of unfinished deliveries by status: first attempts (0) and retries (1) of an endpoint, newest first.
CREATE INDEX CONCURRENTLY pending_deliveries_list_idx
  ON pending_deliveries (endpoint_id, (least(attempts_made, 1)), delivery_id DESC);
