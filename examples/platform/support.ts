import { control } from './client.ts'

const id = process.argv[2]! // The organization.
const path = { id }
const { items: endpoints } = await control.GET('/tenants/{id}/webhooks', { params: { path } })
for (const { url, enabled } of endpoints) console.log(enabled ? 'enabled' : 'disabled', url)
const { items: failed } = await control.GET('/tenants/{id}/webhook-deliveries', {
  params: { path, query: { status: 'dead' } },
})
for (const delivery of failed) console.log('failed', delivery.event.type, delivery.event.id)
