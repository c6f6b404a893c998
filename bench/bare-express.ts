// The baseline of the gate: the same JSON response from plain Express 5.
import express from 'express'
import type { AddressInfo } from 'node:net'

const body = JSON.parse(process.env['BARE_BODY']!) as unknown
const app = express().disable('x-powered-by').disable('etag')
app.get(process.env['BARE_PATH']!, (_req, res) => void res.json(body))
const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ msg: 'listening', port })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
