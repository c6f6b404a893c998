/**
 * Fairness between tenants, of what waits in PostgreSQL (docs/specification/fairness.md):
 *
 * 1. What has waited longest of a tenant has turn 1, the next of the tenant turn 2, and so on.
 * 2. Turn 1 of every tenant comes before turn 2 of any. So before its first, a tenant waits for one of each other tenant,
 *    however much they have. Within a turn, the endpoint that is first in the line comes first, then any.
 * 3. An endpoint has only as many deliveries in turns as it has slots. After its turn it goes to the end of the line, with
 *    the other endpoints of its tenant.
 * 4. A worker takes only what its lanes have slots for. Tenants with many long attempts share half of the normal lane
 *    (apps/worker/src/delivery/fairness.ts).
 *
 * The relay takes turns twice, as due-attempts.ts sets: `ordered` of take-due.sql for the endpoints that it examines, then
 * `chosen` of take-deliveries.sql for their deliveries. `next` and `again` of take-due.sql are the end of the line. First jobs of new
 * deliveries do not wait here (apps/api/src/api/publishing/first-jobs.ts). Slots of an endpoint:
 * apps/worker/src/delivery/lanes.ts. Turns of lookups and reads: packages/core/src/concurrency/turns.ts.
 *
 * @param order - what has waited longest first.
 * @param partition - of what a tenant has turns of its own, such as in each lane.
 * @returns SQL for the number of a row's turn.
 */
export const turnBy = (order: string, partition = 'tenant_id'): string =>
  `row_number() OVER (PARTITION BY ${partition} ORDER BY ${order})`
