/**
 * The condition that an endpoint is open: enabled, and not deleted. Deliveries of an endpoint that is not open are not
 * sent (docs/specification/deliveries.md#disabled-endpoints): the relay skips the endpoint (take-deliveries.sql), a claim
 * is refused (claim-attempts.sql, claim-open-attempts.sql), a publish adds no first job (publish-events.sql), and
 * `updateWebhookEndpoint` wakes the relay when the endpoint opens again.
 *
 * These repeat part of the condition; change them too:
 *
 * - publish-events.sql
 * - the status `waiting_endpoint`: delivery-select.ts, queue-list.ts, apps/api/src/records/delivery.ts
 * - requests: redeliver.ts, retry-now.ts and ping.ts of apps/api/src/use-cases
 * - the counting of failures: follow_endpoint_state.sql and start_counting.sql of prisma/functions
 *
 * test/end-to-end/webhook-changes.test.ts shows that what waits is sent when the endpoint is enabled.
 *
 * @param endpoint - the alias of `webhook_endpoints` in the statement.
 */
export const isOpen = (endpoint: string): string =>
  `${endpoint}.enabled AND ${endpoint}.deleted_at IS NULL`
