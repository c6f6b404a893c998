/**
 * Stores deliveries without an attempt as dead, in a statement that has removed their rows from the queue. An aggregate of
 * these rows, each with the time `ended_at`. Their attempts are rows of their own.
 */
export const storeDead = `
  store_deliveries(array_agg(delivery_id), array_agg(tenant_id), array_agg(endpoint_id), array_agg(event_ref),
    array_agg(redelivery_of), array_agg('dead'::delivery_outcome), array_agg(attempts_made), array_agg(ended_at),
    array_agg(NULL::uuid), array_agg(NULL::timestamptz), array_agg(NULL::integer), array_agg(last_status_code),
    array_agg(last_error_class))`
