import type { OperationName } from '../history/entries.ts'
import { possible, succeeded, type Rule } from './history-view.ts'

/** Counters equal a recount. */
export const counted: Rule = (history) =>
  succeeded(history.of('read endpoint')).flatMap(({ result }) => {
    const { endpoint, succeeded: good, failed, succeededRows, failedRows, waiting } = result!
    const wrong: string[] = []
    if (good !== succeededRows) wrong.push(`${good} successes counted, ${succeededRows} recorded`)
    if (failed !== failedRows) wrong.push(`${failed} failures counted, ${failedRows} recorded`)
    if (waiting !== 0) wrong.push(`${waiting} deliveries counted as waiting, none is`)
    return wrong.map((message) => `${endpoint}: ${message}`)
  })

/** The action of the audit log for each change. */
const actions: readonly { readonly action: string; readonly names: readonly OperationName[] }[] = [
  { action: 'webhook.update', names: ['disable', 'enable', 'throttle', 'describe'] },
  { action: 'webhook.rotate_secret', names: ['rotate'] },
  { action: 'webhook.delete', names: ['delete'] },
  { action: 'webhook.recover', names: ['recover'] },
  { action: 'webhook.redeliver', names: ['redeliver'] },
  { action: 'webhook.ping', names: ['ping'] },
  { action: 'api_key.revoke', names: ['revoke'] },
]

/** The chains of the audit log verify, and it holds every change that succeeded, once. */
export const audited: Rule = (history) =>
  succeeded(history.of('read audit log')).flatMap(({ result }) => {
    const { errors, counts, unsealed } = result!
    const wrong = errors.map((error) => `the audit log: ${error}`)
    if (unsealed > 0) wrong.push(`${unsealed} entries of the audit log are not sealed`)
    for (const { action, names } of actions) {
      const calls = names.flatMap((name) => history.of(name))
      const [least, most] = [distinct(succeeded(calls)), distinct(possible(calls))]
      const count = counts[action] ?? 0
      if (count < least || count > most) {
        wrong.push(`${count} entries of ${action}, but ${least} to ${most} changes`)
      }
    }
    return wrong
  })

/** Requests with the same Idempotency-Key are one change. */
function distinct(calls: readonly { readonly value: object }[]): number {
  const keys = calls.map(({ value }, index) =>
    'idempotencyKey' in value ? value.idempotencyKey : index,
  )
  return new Set(keys).size
}
