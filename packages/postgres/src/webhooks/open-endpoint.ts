/**
 * The condition that an endpoint is open: enabled, and not deleted. Deliveries of other endpoints are not sent
 * (docs/specification/deliveries.md#disabled-endpoints): the relay skips it (take-deliveries.sql), a claim is refused
 * (claim-attempts.sql), a publish adds no first job (publish-events.sql), and `updateWebhookEndpoint` wakes the relay when
 * it opens again. These state parts of the condition themselves, so change them with it: publish-events.sql, the status
 * `waiting_endpoint` (delivery-select.ts, queue-list.ts), apps/api/src/use-cases/redeliver.ts, and, for counting
 * failures, prisma/functions/follow_endpoint_state.sql and start_counting.sql. test/end-to-end/webhook-changes.test.ts
 * shows that what waits is sent when the endpoint is enabled.
 *
 * @param endpoint - the alias of `webhook_endpoints` in the statement.
 */
export const isOpen = (endpoint: string): string =>
  `${endpoint}.enabled AND ${endpoint}.deleted_at IS NULL`
