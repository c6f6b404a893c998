import { eventPatterns, filterPatternsMax, recordsKeptDays } from '@hosting/core/webhooks'
import { Type, type Static } from 'typebox'
import {
  component,
  count,
  described,
  strictObject,
  timeText,
  uuid,
  wordOf,
  type RecordOf,
} from './common.ts'

export const recoveryBody = strictObject({
  since: timeText(
    `Recovers deliveries created at or after this time, at most ${recordsKeptDays} days ago.`,
  ),
  until: Type.Optional(
    timeText('Recovers deliveries created before this time. Default: the time of the request.'),
  ),
  status: Type.Optional(
    wordOf(
      ['dead', 'any'],
      '`dead` sends events again that have not arrived, `any` also those that have. Default: `dead`.',
    ),
  ),
  event_types: Type.Optional(
    Type.Array(wordOf(eventPatterns, ''), {
      minItems: 1,
      maxItems: filterPatternsMax,
      uniqueItems: true,
      description:
        'Only events that match one of these patterns. Default: all that the endpoint subscribes to.',
    }),
  ),
  backfill: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'Whether to also send events of the time range that match the patterns of the endpoint and of which it never had a delivery, because it was created or subscribed later.',
    }),
  ),
  dry_run: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Whether to only count what a recovery would redeliver.',
    }),
  ),
})

/** What a recovery sends again. */
export type RecoveryFields = Static<typeof recoveryBody>

export const recoveryResponse = component('RecoveryResult', {
  recovery: described(
    component('Recovery', {
      id: uuid('The id of the recovery.'),
      status: wordOf(
        ['running', 'done', 'cancelled'],
        '`running` until everything was examined (`done`) or the recovery was cancelled.',
      ),
      total: count('The number of events found so far. Up to 10,000 are counted in advance.'),
      done: count('The number of events that have been sent again.'),
    }),
    'The recovery.',
  ),
})

/** A recovery as the API returns it. */
export type RecoveryRecord = RecordOf<typeof recoveryResponse>['recovery']
