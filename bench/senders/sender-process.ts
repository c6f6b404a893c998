// `node sender-process.ts <sender> <URL> <requests>`: sends this number of webhooks, after a warm-up, and prints
// the measurements as one JSON line.
import { createAddressPolicy, parseNetwork } from '@hosting/core/network'
import { createResolver } from '@hosting/process'
import { makeEvent } from '../publisher.ts'
import { senders } from './senders.ts'

const [name, url, amount] = process.argv.slice(2) as [keyof typeof senders, string, string]
const concurrency = 50
const warmUp = 3_000

const allowed = [parseNetwork('127.0.0.0/8')]
const sender = senders[name](createAddressPolicy({ own: [], allowed }), {
  timeoutMs: 10_000,
  resolve: createResolver().resolve,
})
// The size of the other benchmarks' bodies.
const body = JSON.stringify(makeEvent('0198c5a0-0000-7000-8000-000000000000')).padEnd(450)
const request = {
  url,
  headers: {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1',
    'Service-Event-Id': '0198c5a0-0000-7000-8000-000000000001',
    'Service-Signature': `t=1790000000,v1=${'0'.repeat(64)}`,
  },
  body,
  tenantId: 'tenant',
}

/** Returns the number of failures. */
async function sendAll(requests: number): Promise<number> {
  let [sent, errors] = [0, 0]
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (sent++ < requests) {
        const { errorClass } = await sender.send(request)
        if (errorClass !== null) errors++
      }
    }),
  )
  return errors
}

await sendAll(warmUp)
const [before, startedAt] = [process.cpuUsage(), performance.now()]
const errors = await sendAll(Number(amount))
const { user, system } = process.cpuUsage(before)
const seconds = (performance.now() - startedAt) / 1_000
sender.close()
process.stdout.write(
  `${JSON.stringify({
    perSecond: Number(amount) / seconds,
    cpuUs: (user + system) / Number(amount),
    errors,
  })}\n`,
)
