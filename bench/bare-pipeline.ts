// The baseline of deliveries: plain BullMQ and got, without database, guard or signature. A job contains its
// URL and its body.
import { Worker } from 'bullmq'
import got from 'got'
import http from 'node:http'
import { Redis } from 'ioredis'

const agent = new http.Agent({ keepAlive: true })
const connection = new Redis(process.env['REDIS_URL']!, { maxRetriesPerRequest: null })
const worker = new Worker<{ url: string; body: string }>(
  'bare',
  async ({ data: { url, body } }) => {
    const headers = { 'content-type': 'application/json' }
    await got.post(url, { body, headers, agent: { http: agent }, retry: { limit: 0 } })
  },
  { connection, concurrency: Number(process.env['WORKER_CONCURRENCY']) },
)
await worker.waitUntilReady()
process.stdout.write(`${JSON.stringify({ msg: 'listening', port: 0 })}\n`)
process.once('SIGTERM', () => process.exit(0))
