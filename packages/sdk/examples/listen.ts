import { createClient } from '@hosting/sdk'

const client = createClient({
  baseUrl: process.env['HCTL_URL']!,
  token: process.env['HCTL_TOKEN'],
})

for await (const message of client.listen()) {
  if (message.kind === 'secret') console.log(`Events are signed with ${message.secret}`)
  if (message.kind === 'end') console.log(message.detail)
  if (message.kind === 'event') {
    const { headers, body } = message
    const { status } = await fetch(process.env['HOOK_URL']!, { method: 'POST', headers, body })
    console.log(`${(JSON.parse(body) as { type: string }).type} ${status}`)
  }
}
