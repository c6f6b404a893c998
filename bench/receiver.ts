// Receives webhooks of a benchmark and measures their latency: the publisher puts the time into `object_id`.
// `GET /figures` and `/count` return the results since the last `POST /reset`; `/hang` responds after 10 s, and
// `/flood` streams informational responses without end.
import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { percentile } from './figures.ts'

let latencies: number[] = []
let [firstAt, lastAt] = [0, 0]

const wallClock = (): number => performance.timeOrigin + performance.now()

const server = http.createServer((message, response) => {
  if (message.url === '/figures') {
    const sorted = latencies.toSorted((a, b) => a - b)
    response.end(
      JSON.stringify({
        received: sorted.length,
        seconds: (lastAt - firstAt) / 1_000,
        p50Ms: percentile(sorted, 0.5),
        p95Ms: percentile(sorted, 0.95),
        p99Ms: percentile(sorted, 0.99),
      }),
    )
    return
  }
  if (message.url === '/count') {
    response.end(String(latencies.length))
    return
  }
  if (message.url === '/reset') {
    latencies = []
    firstAt = 0
    response.end('{}')
    return
  }
  const chunks: Buffer[] = []
  message.on('data', (chunk: Buffer) => chunks.push(chunk))
  message.on('end', () => {
    if (message.url === '/hang') {
      setTimeout(() => response.end(), 10_000).unref()
      return
    }
    if (message.url === '/flood') {
      flood(message.socket)
      return
    }
    const sentAt = /"object_id":"([\d.]+)"/.exec(Buffer.concat(chunks).toString())?.[1]
    lastAt = wallClock()
    firstAt ||= lastAt
    latencies.push(lastAt - Number(sentAt))
    response.writeHead(204).end()
  })
})

const informational = Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'.repeat(2_000))

/** Writes until the other side stops reading. */
function flood(socket: Socket): void {
  const write = (): void => {
    while (!socket.destroyed && socket.write(informational));
  }
  socket.on('drain', write)
  write()
}

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.stdout.write(`${JSON.stringify({ msg: 'listening', port })}\n`)
})
process.once('SIGTERM', () => process.exit(0))
