/** A worker holds the row: its attempt is being made. */
export const inFlight = 'p.lease_id IS NOT NULL AND p.held_until > now()'

/** What is shown of each delivery: `d`, with its row `p` of the queue and its endpoint `e`. */
export const selectDeliveries = `
  SELECT d.id, d.endpoint_id, d.event_id, d.event_type, d.event_created_at, d.redelivery_of, d.completed_at,
    CASE
      WHEN d.outcome IS NOT NULL THEN d.outcome::text
      WHEN ${inFlight} THEN 'in_flight'
      WHEN NOT e.enabled THEN 'waiting_endpoint'
      WHEN p.attempts_made > 0 THEN 'waiting_retry'
      ELSE 'queued'
    END AS status,
    coalesce(p.attempts_made, d.attempt_count) AS attempt_count,
    CASE WHEN e.enabled AND NOT (${inFlight}) THEN p.due_at END AS next_attempt_at
  FROM deliveries d
  LEFT JOIN pending_deliveries p ON p.delivery_id = d.id
  LEFT JOIN webhook_endpoints e ON e.id = d.endpoint_id`
