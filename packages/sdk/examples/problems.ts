import { ApiProblem, ConnectionError, createClient } from '@hosting/sdk'

const client = createClient({
  baseUrl: process.env['HCTL_URL']!,
  token: process.env['HCTL_TOKEN'],
})

try {
  await client.POST('/webhooks', { body: { url: 'http://10.0.0.1/', events: ['sites.*'] } })
} catch (error) {
  if (error instanceof ApiProblem) {
    console.error(`${error.status} ${error.code}: ${error.detail} (request ${error.requestId})`)
    for (const { pointer, message } of error.errors) console.error(`  ${pointer} ${message}`)
  } else if (error instanceof ConnectionError) {
    console.error(error.message)
  } else throw error
}
