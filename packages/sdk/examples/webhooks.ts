import { createClient } from '@hosting/sdk'

const client = createClient({
  baseUrl: process.env['HCTL_URL']!,
  token: process.env['HCTL_TOKEN'],
})

const { webhook, secret } = await client.POST('/webhooks', {
  body: { url: 'https://hooks.example.com/in', events: ['site.*'] },
})
console.log(`Created ${webhook.id} with a signing secret of ${secret.length} characters`)

for await (const { url, events } of client.items('/webhooks')) console.log(url, events)
