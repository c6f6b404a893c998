import { overlapSecondsDefault } from '@hosting/core/api-keys'
import type { BodyOf } from '@hosting/sdk'
import { signedInClient } from '../auth/sign-in.ts'
import { command } from '../command.ts'
import { deliveryLines } from '../deliveries/display.ts'
import { usageError } from '../exit-codes.ts'
import { omitUndefined, refuseTogether } from '../options.ts'
import * as option from '../options.ts'
import { requireConfirmation } from '../terminal/confirm.ts'
import { listOptions, pageSize, printList } from '../terminal/list.ts'
import { oneTimeSecretLines } from '../terminal/text.ts'
import { incidentColumns, endpointColumns, endpointLines } from './display.ts'
import { headerOption, readHeaders } from './headers.ts'
import { reconcile } from './reconcile.ts'
import { settingOptions, toSettings } from './settings.ts'
import { endpointStats } from './stats.ts'
import { endpointName } from '@hosting/core/webhooks'

const events = (description: string) =>
  option.list('pattern', description, { field: 'events', values: 'pattern' })
const list = command({
  path: 'webhooks list',
  summary: 'List webhooks',
  examples: ['hctl webhooks list', "hctl webhooks list --jq '.items[].url'"],
  options: { externalId: option.externalIdFilter, ...listOptions },
  async run(context, { externalId, limit }) {
    const query = omitUndefined({ external_id: externalId, limit: pageSize(limit) })
    const endpoints = (await signedInClient(context)).items('/webhooks', { params: { query } })
    await printList(context.output, endpoints, {
      limit,
      columns: endpointColumns,
      noun: 'webhooks',
    })
  },
})

const show = command({
  path: 'webhooks show',
  summary: 'Show a webhook',
  examples: ['hctl webhooks show billing'],
  arguments: { id: option.endpointId },
  async run(context, { id }) {
    const client = await signedInClient(context)
    const response = await client.GET('/webhooks/{id}', { params: { path: { id } } })
    context.output.result(response, endpointLines(response.webhook))
  },
})

const incidents = command({
  path: 'webhooks incidents',
  summary: 'List the incidents of a webhook: the times in which it failed',
  examples: ['hctl webhooks incidents billing'],
  arguments: { id: option.endpointId },
  options: listOptions,
  async run(context, { id, limit }) {
    const found = (await signedInClient(context)).items('/webhooks/{id}/incidents', {
      params: { path: { id }, query: { limit: pageSize(limit) } },
    })
    await printList(context.output, found, { limit, columns: incidentColumns, noun: 'incidents' })
  },
})

const create = command({
  path: 'webhooks create',
  summary: 'Subscribe a URL to events',
  examples: ["hctl webhooks create --url https://example.com/hooks --event-type 'site.*'"],
  options: {
    url: option.required(option.text('url', 'HTTPS URL that receives the events')),
    eventType: option.required(events('Event types: a type, <resource>.* or *')),
    ...settingOptions,
    enabled: option.unless('Create the webhook disabled; its deliveries wait'),
    header: headerOption,
  },
  async run(context, { url, eventType, header, enabled, ...settings }) {
    const headers = await readHeaders(header)
    const client = await signedInClient(context)
    const body = {
      url,
      events: eventType,
      ...omitUndefined({ headers, enabled }),
      ...toSettings(settings),
    }
    const response = await client.POST('/webhooks', { body })
    const { webhook: endpoint, secret } = response
    const lines = [...endpointLines(endpoint), ...oneTimeSecretLines('Signing secret', secret)]
    context.output.result(response, lines)
  },
})

const update = command({
  path: 'webhooks update',
  summary: 'Change, disable or enable a webhook',
  examples: [
    'hctl webhooks update billing --event-type site.created,site.deleted',
    'hctl webhooks update billing --no-enabled',
  ],
  arguments: { id: option.endpointId },
  options: {
    url: option.text(
      'url',
      'New HTTPS URL; with another scheme, host or port, give the custom headers again with --header, or remove them with --no-headers',
    ),
    eventType: events('New event types, which replace the current ones'),
    ...settingOptions,
    anyAccount: option.flag('Deliver events of all accounts, and those without an account'),
    enabled: option.either('Enable the webhook; --no-enabled disables it, and its deliveries wait'),
    header: { ...headerOption, description: `${headerOption.description}; replaces all` },
    headers: option.unless('Remove all custom headers'),
  },
  async run(context, { id, ...options }) {
    const { url, eventType, header, headers, enabled, anyAccount, ...settings } = options
    refuseTogether(options, ['anyAccount', 'account'])
    if (header && !headers) throw usageError('usage', 'Use either --header or --no-headers.')
    const body = {
      ...omitUndefined({
        url,
        events: eventType,
        headers: headers ? await readHeaders(header) : null,
        enabled,
        accounts: anyAccount ? null : undefined,
      }),
      ...toSettings(settings),
    }
    if (Object.keys(body).length === 0) {
      throw usageError('usage', 'Nothing to change: set at least one option.')
    }
    const client = await signedInClient(context)
    const response = await client.PATCH('/webhooks/{id}', { params: { path: { id } }, body })
    context.output.result(response, endpointLines(response.webhook))
  },
})

const remove = command({
  path: 'webhooks delete',
  summary: 'Delete a webhook; its waiting deliveries fail',
  examples: ['hctl webhooks delete billing'],
  arguments: { id: option.endpointId },
  options: { yes: option.yes },
  async run(context, { id, yes }) {
    const client = await signedInClient(context)
    if (!yes) {
      const { webhook: endpoint } = await client.GET('/webhooks/{id}', { params: { path: { id } } })
      const name = `${endpointName(endpoint)} (${id})`
      await requireConfirmation(context, `Delete webhook ${name} permanently?`)
    }
    await client.DELETE('/webhooks/{id}', { params: { path: { id } } })
    context.output.result({ id, status: 'deleted' }, [`Webhook ${id} is deleted.`])
  },
})

const resultHint = (id: string): string => `Run hctl deliveries show ${id} to see the result.`

const ping = command({
  path: 'webhooks ping',
  summary: 'Send a webhook.ping event to a webhook',
  examples: ['hctl webhooks ping billing'],
  arguments: { id: option.endpointId },
  async run(context, { id }) {
    const client = await signedInClient(context)
    const response = await client.POST('/webhooks/{id}/ping', { params: { path: { id } } })
    context.output.result(response, deliveryLines(response.delivery))
    context.output.note(resultHint(response.delivery.id))
  },
})

type EventType = BodyOf<'/webhooks/{id}/test', 'post'>['event_type']

const test = command({
  path: 'webhooks test',
  summary: 'Send an example event of any type to a webhook',
  examples: ['hctl webhooks test billing --event-type site.created'],
  arguments: { id: option.endpointId },
  options: {
    eventType: option.required(
      option.text('type', 'Event type, such as site.created', { values: 'event-type' }),
    ),
  },
  async run(context, { id, eventType }) {
    const client = await signedInClient(context)
    const response = await client.POST('/webhooks/{id}/test', {
      params: { path: { id } },
      // The service may know newer event types than this program, so it checks the type.
      body: { event_type: eventType as EventType },
    })
    context.output.result(response, deliveryLines(response.delivery))
    context.output.note(resultHint(response.delivery.id))
  },
})

const rotateSecret = command({
  path: 'webhooks rotate-secret',
  summary: 'Replace the signing secret of a webhook',
  examples: ['hctl webhooks rotate-secret billing --grace 24h'],
  arguments: { id: option.endpointId },
  options: {
    grace: option.duration(
      `Overlap period during which both secrets sign (default: ${overlapSecondsDefault || 'none'})`,
      {
        field: 'grace_seconds',
      },
    ),
  },
  async run(context, { id, grace }) {
    const client = await signedInClient(context)
    const response = await client.POST('/webhooks/{id}/rotate-secret', {
      params: { path: { id } },
      body: omitUndefined({ grace_seconds: grace }),
    })
    const { webhook: endpoint, secret } = response
    const lines = [...endpointLines(endpoint), ...oneTimeSecretLines('Signing secret', secret)]
    context.output.result(response, lines)
  },
})

const retry = command({
  path: 'webhooks retry',
  summary: 'Retry every waiting delivery of a webhook now',
  examples: ['hctl webhooks retry billing'],
  arguments: { id: option.endpointId },
  async run(context, { id }) {
    const client = await signedInClient(context)
    const response = await client.POST('/webhooks/{id}/retry-now', { params: { path: { id } } })
    const { deliveries } = response
    context.output.result(response, [
      deliveries === 0
        ? 'No delivery is waiting for a retry.'
        : `${deliveries === 1 ? '1 delivery is' : `${deliveries} deliveries are`} due now.`,
    ])
  },
})

export const endpointCommands = [
  list,
  show,
  endpointStats,
  incidents,
  create,
  update,
  remove,
  ping,
  test,
  rotateSecret,
  retry,
  reconcile,
]
