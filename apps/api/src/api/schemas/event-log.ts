import {
  eventLogPageDefault,
  eventLogPageMax,
  filterPatternsLengthMax,
} from '@hosting/core/webhooks'
import { Type, type Static } from 'typebox'
import { filterText, strictObject, timeText } from './common.ts'

/** The filters of the event log. */
export const eventFilters = {
  types: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: filterPatternsLengthMax,
      description:
        'Only events that match one of these patterns: `*`, `<resource>.*` or event types, 1 to 20, separated by commas.',
    }),
  ),
  account_id: Type.Optional(filterText('Only events of this account.')),
  object_id: Type.Optional(filterText('Only events of this object.')),
}

export const eventLogQuery = strictObject({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: eventLogPageMax,
      default: eventLogPageDefault,
      description: 'The most items of a page, 1 to 1,000.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,256}$',
      description:
        'The `next_cursor` of an earlier page, whatever its filters. A cursor from before the log is refused.',
    }),
  ),
  since: Type.Optional(
    timeText(
      'Starts with the events whose `created_at` is at or after this time; instead of `cursor`. Events that are accepted after this request follow whatever their `created_at`. Default: the oldest event of the log.',
    ),
  ),
  ...eventFilters,
})

/** The query of a page of the event log. */
export type EventLogQuery = Static<typeof eventLogQuery>
