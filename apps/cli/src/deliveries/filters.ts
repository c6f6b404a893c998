import { InvalidArgumentError } from 'commander'
import { omitUndefined, integer, text, type Option, type ValueOf } from '../options.ts'
import { findStatus, statusChoices } from './outcomes.ts'

/** Accepts the API's statuses and their labels, in any case. */
export const statusFilter: Option<ReturnType<typeof findStatus>> = {
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
  webhook: text('webhook', 'Only deliveries to this webhook: its id, description or URL', {
    field: 'webhook_id',
    values: 'webhook',
  }),
  status: statusFilter,
  eventType: text('type', 'Only deliveries of this event type', { values: 'event-type' }),
  eventId: text('id', 'Only deliveries of this event', { values: 'event' }),
  object: text('id', 'Only deliveries of events of this object', { field: 'object_id' }),
  account: text('id', 'Only deliveries of events of this account', {
    field: 'account_id',
    values: 'account',
  }),
  statusCode: integer('code', 'Only deliveries whose last response had this HTTP status'),
  errorClass: text('class', 'Only deliveries whose last attempt failed for this reason'),
}

type Filters = { readonly [K in keyof typeof filterOptions]: ValueOf<(typeof filterOptions)[K]> }

/** The filters as query parameters of the API. */
export const toQuery = ({
  webhook,
  status: wanted,
  eventType,
  eventId,
  object,
  account,
  statusCode,
  errorClass,
}: Filters) =>
  omitUndefined({
    webhook_id: webhook,
    status: wanted,
    // The service may know newer event types than this program, so it checks the type.
    event_type: eventType as undefined,
    event_id: eventId,
    object_id: object,
    account_id: account,
    status_code: statusCode,
    error_class: errorClass as undefined,
  })
