import type { Delivery } from '@hosting/sdk'
import { InvalidArgumentError } from 'commander'
import { omitUndefined } from '../omit-undefined.ts'
import { text, type Option, type ValueOf } from '../options.ts'
import { findStatus, statusChoices } from './outcomes.ts'

/** Accepts the API's statuses and their labels, in any case. */
const status: Option<Delivery['status'] | undefined> = {
  placeholder: 'status',
  description: 'Only deliveries with this status, such as failed or waiting_retry',
  choices: statusChoices,
  parse(value) {
    const found = findStatus(value)
    if (found) return found
    throw new InvalidArgumentError(`Allowed choices are ${statusChoices.join(', ')}.`)
  },
}

/** The filters that `deliveries list` and `deliveries tail` share. */
export const filterOptions = {
  webhook: text('id', 'Only deliveries to this webhook', {
    field: 'webhook_id',
    values: 'webhook',
  }),
  status,
  eventType: text('type', 'Only deliveries of this event type', { values: 'event-type' }),
  eventId: text('id', 'Only deliveries of this event', { values: 'event' }),
}

type Filters = { readonly [K in keyof typeof filterOptions]: ValueOf<(typeof filterOptions)[K]> }

/** The filters as query parameters of the API. */
export const toQuery = ({ webhook, status: wanted, eventType, eventId }: Filters) =>
  omitUndefined({
    webhook_id: webhook,
    status: wanted,
    // The service may know newer event types than this program, so it checks the type.
    event_type: eventType as undefined,
    event_id: eventId,
  })
