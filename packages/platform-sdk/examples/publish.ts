import { createInternalClient } from '@hosting/platform-sdk'

const control = createInternalClient({
  baseUrl: process.env['INTERNAL_URL']!,
  token: process.env['SERVICE_TOKEN']!,
})

const [event] = await control.publish([
  {
    type: 'site.created',
    tenant_id: process.env['TENANT_ID']!,
    data: {
      object_type: 'site',
      object_id: 's-1042',
      account_id: 'a-17',
      primary_domain: 'shop.example',
    },
  },
])
console.log(`Published to ${event!.deliveries} endpoints`)
