import { endpointDescriptionLengthMax } from '@hosting/core/webhooks'
import type { ItemOf } from '@hosting/sdk'
import { omitUndefined } from '../options.ts'
import * as option from '../options.ts'

/** The options that creating and changing a webhook share. */
export const settingOptions = {
  description: option.text('text', `Description, up to ${endpointDescriptionLengthMax} characters`),
  rateLimit: option.limit('number', 'Maximum attempts per second; other deliveries wait', {
    field: 'rate_limit_per_second',
  }),
  disableAfter: option.limit('hours', 'Disable the webhook after failing for this many hours', {
    field: 'disable_after_failing_hours',
  }),
  externalId: option.externalId,
  account: option.list('id', 'Only deliver events of these accounts', {
    field: 'accounts',
    values: 'account',
  }),
  standardWebhooks: option.either(
    'Also sign with Standard Webhooks; --no-standard-webhooks turns it off',
  ),
}

type Settings = {
  readonly [Name in keyof typeof settingOptions]: option.ValueOf<(typeof settingOptions)[Name]>
}

/** Converts the options to members of a body. */
export const toSettings = ({
  description,
  rateLimit,
  disableAfter,
  standardWebhooks,
  externalId,
  account,
}: Settings) =>
  omitUndefined({
    description,
    rate_limit_per_second: rateLimit === 'none' ? null : rateLimit,
    disable_after_failing_hours: disableAfter === 'none' ? null : disableAfter,
    standard_webhooks: standardWebhooks,
    external_id: option.toExternalId(externalId),
    accounts: account,
  })

/** The settings of a webhook as lines. */
export const settingLines = (endpoint: ItemOf<'/webhooks'>) => ({
  description: endpoint.description,
  'rate limit':
    endpoint.rate_limit_per_second === null
      ? 'none'
      : `${endpoint.rate_limit_per_second} per second`,
  'disable after':
    endpoint.disable_after_failing_hours === null
      ? 'never'
      : `${endpoint.disable_after_failing_hours} h of failures`,
  'standard webhooks': endpoint.standard_webhooks ? 'Yes' : 'No',
  'external id': endpoint.external_id,
  accounts: endpoint.accounts ?? 'all',
})
