-- Lists of unfinished deliveries by status: first attempts (0) and retries (1) of an endpoint, newest first.
-- Ordered by the bytes of the id, not the id itself: else the planner may walk the primary key in its stead, through
-- everything that waits for other endpoints.
CREATE INDEX CONCURRENTLY pending_deliveries_list_idx
  ON pending_deliveries (endpoint_id, (least(attempts_made, 1)), (uuid_send(delivery_id)) DESC);
