// What the deliveries are measured against: BullMQ and got with nothing around them, no database, no
// guard, no signature. A job carries its URL and its body.
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
