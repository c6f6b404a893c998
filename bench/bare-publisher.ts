// The baseline of single publishes: one Express route and one BullMQ job per event, without database, credentials
// or schema. bare-pipeline.ts sends the jobs.
import { Queue } from 'bullmq'
import express from 'express'
import { Redis } from 'ioredis'
import type { AddressInfo } from 'node:net'

const url = process.env['BARE_URL']!
const queue = new Queue('bare', {
  connection: new Redis(process.env['REDIS_URL']!, { maxRetriesPerRequest: null }),
})
const opts = { removeOnComplete: true, removeOnFail: true }
const app = express().disable('x-powered-by').disable('etag')
app.post('/internal/v1/events', express.text({ type: 'application/json' }), (req, res, next) => {
  const data = { url, body: JSON.stringify(JSON.parse(req.body as string)) }
  queue.add('send', data, opts).then(() => res.status(202).json({ items: [] }), next)
})
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ msg: 'listening', port, internalPort: port })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
