/**
 * The condition that an endpoint is open: enabled, and not deleted. Deliveries of an endpoint that is not open are not
 * sent (docs/specification/deliveries.md#disabled-endpoints, #deleted-endpoints): the relay skips the endpoint (take-deliveries.sql), a claim
 * is refused (claim-attempts.sql, claim-unthrottled-attempts.sql), a publish adds no first job (publish-events.sql), and
 * `updateWebhookEndpoint` wakes the relay when the endpoint opens again.
 *
 * {@link isPaused} is the counterpart for disabled endpoints. These repeat part of one of the two; change them too
 * (test/structure/endpoint-state.test.ts refuses other files with `enabled` in SQL):
 *
 * - publish-events.sql
 * - packages/postgres/src/operators/operations-backlog.ts, which shows the state to operators
 * - webhook-endpoints.ts, which reads and changes it, and incidents.ts, which disables, both beside this file
 * - the status `waiting_endpoint`: apps/api/src/api/records/delivery.ts, and "Paused until the endpoint is enabled" in
 *   apps/api/src/panel/pages/deliveries/timeline.tsx; the advice of apps/cli/src/webhooks/missing-events.ts
 * - requests: redeliver.ts, retry-now.ts and ping.ts of apps/api/src/api/use-cases
 * - texts that say that deliveries wait: health-alert.tsx and recover.tsx of apps/api/src/panel/pages/webhooks,
 *   attention.tsx, flash-messages.ts and quickstarts.tsx of apps/api/src, its schemas and routes of endpoints and
 *   deliveries; `webhook_disabled` in packages/core/src/problems/problems.ts; apps/cli/src/webhooks/commands.ts;
 *   docs/webhooks.md#disabling-and-waiting
 * - the counting of failures: follow_endpoint_state.sql and start_counting.sql of prisma/functions;
 *   set_disabled_reason.sql there keeps the reason
 *
 * test/end-to-end/webhook-changes.test.ts shows that what waits is sent when the endpoint is enabled.
 *
 * @param endpoint - the alias of `webhook_endpoints` in the statement.
 */
export const isOpen = (endpoint: string): string =>
  `${endpoint}.enabled AND ${endpoint}.deleted_at IS NULL`

/**
 * The condition that an endpoint is disabled, and not deleted: its deliveries wait, with the status `waiting_endpoint`.
 *
 * @param endpoint - the alias of `webhook_endpoints` in the statement.
 */
export const isPaused = (endpoint: string): string =>
  `NOT ${endpoint}.enabled AND ${endpoint}.deleted_at IS NULL`
