import { disableFailingEndpoints } from '@hosting/postgres/webhooks'
import type { Duty } from './duty.ts'

/** Disables endpoints that have failed for as long as their setting allows. */
export const disableFailing: Duty = {
  name: 'disable-failing',
  everyMs: 10_000,
  async run({ database, log, metrics }) {
    for (const { id, tenantId } of await disableFailingEndpoints(database)) {
      metrics.endpointsDisabled.inc()
      log.info({ endpointId: id, tenantId }, 'an endpoint was disabled because it kept failing')
    }
  },
}
