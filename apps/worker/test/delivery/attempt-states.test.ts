import { claimAttempts, postponeAttempts } from '@hosting/postgres/deliveries'
import { expect, test } from '@jest/globals'
import { useDatabase } from '../../../../packages/postgres/test/support/database.ts'
import { buildFinished } from '../../../../packages/postgres/test/support/fixtures.ts'
import { buildClaimed, buildDue, buildTaken } from '../../../../test/support/attempts.ts'
import type { MakeAttempt } from '../../src/delivery/make-attempt.ts'
import type { Postpone } from '../../src/delivery/postpone.ts'
import type { Records } from '../../src/delivery/records.ts'

const database = useDatabase()
const finished = buildFinished({ deliveryId: 'delivery', leaseId: 'lease' })

// The compiler checks these calls: it fails if it does not find an expected error.
test('attempts cannot be used out of order', () => {
  const outOfOrder = {
    // @ts-expect-error An attempt is taken before it is claimed.
    claimDue: () => claimAttempts(database, [buildDue()], 1_000),
    // @ts-expect-error An attempt that was made is not claimed again.
    claimFinished: () => claimAttempts(database, [finished], 1_000),
    // @ts-expect-error An attempt that was made is recorded, not postponed.
    postponeFinished: () => postponeAttempts(database, [{ attempt: finished, forMs: 0 }]),
    // @ts-expect-error The same for the worker.
    postponeMade: (postpone: Postpone) => postpone(finished, 'slots'),
    // @ts-expect-error An attempt is made once: by the worker that has taken it.
    makeClaimed: (makeAttempt: MakeAttempt) => makeAttempt(buildClaimed()),
    // @ts-expect-error An attempt is made before it is recorded.
    recordTaken: (records: Records) => records.record(buildTaken()),
  }
  expect(Object.keys(outOfOrder)).toHaveLength(6)
})
