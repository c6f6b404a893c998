import { currentTime } from '@hosting/core/clock'
import { removePreviousSecrets } from '@hosting/postgres/api-keys'
import type { Caller } from '../access/caller.ts'
import { describePrevious, type PreviousSecretUse } from '../records/api-key.ts'
import type { Needs } from '../services.ts'
import { recordChange, type RequestContext } from './audit.ts'
import { getVisibleKey, lockVisibleKey, requireManages } from './key-access.ts'
import { announceKeyChange } from './key-changes.ts'

/** Ends the secrets of a key that rotations have replaced. The tokens of a workload key are none of them. */
export async function endPreviousSecrets(
  services: Needs<'gate' | 'keyChanges' | 'log'>,
  context: RequestContext,
  id: string,
): Promise<void> {
  const { caller, work } = context
  const key = await lockVisibleKey(context, id)
  requireManages(caller, key)
  const ended = key.workload ? 0 : await removePreviousSecrets(work.tx, id, currentTime())
  if (ended === 0) return
  await announceKeyChange(services, work, { keyId: id })
  await recordChange(context, {
    action: 'api_key.end_token',
    target: { type: 'api_key', id },
    details: { previous_secrets: ended },
  })
}

/** Reads how the old secrets of a key are used. @throws Problem `not_found` */
export async function readPreviousSecretUse(
  { database }: Needs<'database'>,
  caller: Caller,
  id: string,
): Promise<PreviousSecretUse | undefined> {
  return describePrevious(await getVisibleKey(database.prisma, caller, id), currentTime())
}
