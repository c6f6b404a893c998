import { createClient } from '@hosting/sdk'

const client = createClient({
  baseUrl: process.env['HCTL_URL']!,
  token: process.env['HCTL_TOKEN'],
})

const { webhook, secret } = await client.POST('/webhooks', {
  body: { url: process.env['WEBHOOK_URL']!, events: ['*'] },
})
console.log(`WEBHOOK_ID=${webhook.id}`)
console.log(`WEBHOOK_SECRET=${secret}`) // It is returned only once.
