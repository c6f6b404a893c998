import { connect, type Socket } from 'node:net'

/** The results of a load. */
export interface Load {
  readonly requests: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly not200: number
}

/** One GET. */
export interface LoadRequest {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The duration, or the number of requests, and the number of connections: 50 if not given. */
export type LoadExtent = ({ readonly seconds: number } | { readonly amount: number }) & {
  readonly connections?: number
}

const defaultConnections = 50
/** The end of a response; the bodies of the measured routes never contain it. */
const headEnd = '\r\n\r\n'

/**
 * Sends the requests in turn over keep-alive connections, for a time or until `amount` were sent. It
 * writes prepared bytes and reads only the status and length of a response, so that it uses little CPU of the
 * machine that it shares with the measured processes.
 */
export async function putLoad(
  url: string,
  requests: readonly LoadRequest[],
  extent: LoadExtent,
): Promise<Load> {
  const prepared = requests.map((request) => toBytes(url, request))
  const latencies: number[] = []
  let [sent, not200] = [0, 0]
  const startedAt = performance.now()
  const isOver = (): boolean =>
    'seconds' in extent
      ? performance.now() - startedAt >= extent.seconds * 1_000
      : sent >= extent.amount

  await Promise.all(
    Array.from({ length: extent.connections ?? defaultConnections }, async () => {
      const socket = await open(url)
      const ask = exchangeOver(socket)
      while (!isOver()) {
        const bytes = prepared[sent++ % prepared.length]!
        const before = performance.now()
        const status = await ask(bytes)
        latencies.push(performance.now() - before)
        if (status !== '200') not200 += 1
      }
      socket.destroy()
    }),
  )
  const seconds = (performance.now() - startedAt) / 1_000
  const sorted = latencies.toSorted((a, b) => a - b)
  const percentile = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]! * 100) / 100
  return {
    requests: sorted.length,
    perSecond: sorted.length / seconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    not200,
  }
}

/**
 * Sends the requests in turn at a steady rate until something has happened, each on an idle keep-alive
 * connection.
 *
 * @returns the duration of each from the moment at which it was due, in ms.
 */
export async function sendSteadily(
  url: string,
  requests: readonly LoadRequest[],
  { perSecond, until }: { perSecond: number; until: Promise<unknown> },
): Promise<number[]> {
  const prepared = requests.map((request) => toBytes(url, request))
  const sockets: Socket[] = []
  const openExchange = async (): Promise<Exchange> => {
    const socket = await open(url)
    sockets.push(socket)
    return exchangeOver(socket)
  }
  const free = await Promise.all(Array.from({ length: defaultConnections }, openExchange))
  const sending: Promise<number>[] = []
  const startedAt = performance.now()
  const send = async (index: number): Promise<number> => {
    const ask = free.pop() ?? (await openExchange())
    const status = await ask(prepared[index % prepared.length]!)
    if (status !== '200') throw new Error(`A request with a key got ${status}`)
    free.push(ask)
    return performance.now() - startedAt - (index * 1_000) / perSecond
  }
  const timer = setInterval(() => {
    while (performance.now() - startedAt >= (sending.length * 1_000) / perSecond) {
      sending.push(send(sending.length))
    }
  }, 1)
  await until
  clearInterval(timer)
  const latencies = await Promise.all(sending)
  for (const socket of sockets) socket.destroy()
  return latencies
}

function toBytes(url: string, { path, headers = {} }: LoadRequest): Buffer {
  const lines = Object.entries({ Host: new URL(url).host, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  return Buffer.from(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
}

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve()).once('error', reject)
  })
  return socket
}

/** Sends requests over a connection, one at a time, and returns the status of each response. */
type Exchange = (bytes: Buffer) => Promise<string>

function exchangeOver(socket: Socket): Exchange {
  let received = ''
  let onStatus: ((status: string) => void) | undefined
  let failed: ((error: Error) => void) | undefined
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
    const end = received.indexOf(headEnd)
    if (end < 0) return
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
    if (received.length < end + headEnd.length + length) return
    const status = received.slice(9, 12)
    received = ''
    onStatus?.(status)
  })
  socket.on('error', (error) => failed?.(error))
  return (bytes) =>
    new Promise((resolve, reject) => {
      onStatus = resolve
      failed = reject
      socket.write(bytes)
    })
}
