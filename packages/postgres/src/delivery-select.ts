/** A worker holds the row: its attempt is being made. */
export const inFlight = 'p.lease_id IS NOT NULL AND p.held_until > now()'

/** What waits for a deleted endpoint reads as dead at once, before a worker has ended it. */
export const statusOf = `
  CASE
    WHEN d.outcome IS NOT NULL THEN d.outcome::text
    WHEN ${inFlight} THEN 'in_flight'
    WHEN e.deleted_at IS NOT NULL THEN 'dead'
    WHEN NOT e.enabled THEN 'waiting_endpoint'
    WHEN p.attempts_made > 0 THEN 'waiting_retry'
    ELSE 'queued'
  END`

/**
 * What is shown of each delivery: `d`, with its row `p` of the queue and its endpoint `e`.
 *
 * @param source - where the deliveries come from: the table, or a part of it in parentheses.
 */
export const selectDeliveries = (source = 'deliveries'): string => `
  SELECT d.id, d.endpoint_id, d.event_id, d.event_type, d.event_created_at, d.redelivery_of,
    coalesce(d.completed_at, CASE WHEN NOT (${inFlight}) THEN e.deleted_at END) AS completed_at,
    ${statusOf} AS status,
    coalesce(p.attempts_made, d.attempt_count) AS attempt_count,
    CASE WHEN e.enabled AND e.deleted_at IS NULL AND NOT (${inFlight}) THEN p.due_at END AS next_attempt_at,
    coalesce(e.url, '') AS endpoint_url, e.description AS endpoint_description,
    coalesce(e.deleted_at IS NOT NULL, true) AS endpoint_deleted
  FROM ${source} d
  LEFT JOIN pending_deliveries p ON p.delivery_id = d.id
  LEFT JOIN webhook_endpoints e ON e.id = d.endpoint_id`
