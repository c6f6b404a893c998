import { openBlackHole } from './black-hole.ts'
import { startRawReceiver, startReceiver, type ReceiverOptions } from './receiver.ts'

/** A server on a bad line: the first address of its name takes a second to connect, and the other one refuses. */
export interface SlowServer {
  readonly url: string
  /** Options of Node with which a process resolves the server's name. */
  readonly nodeOptions: string
  /** How often the name was looked up. */
  readonly lookups: number
  close(): Promise<void>
}

const [slow, dead] = [
  { address: '127.0.0.9', family: 4 },
  { address: '::1', family: 6 },
]
/** How long the line loses packets, from a lookup of the name, in ms. */
const lossMs = 600

/** Starts a server on a bad line. */
export async function startSlowServer(options: ReceiverOptions): Promise<SlowServer> {
  const receiver = await startReceiver(options)
  const line = await openBlackHole({ host: slow.address, forwardTo: receiver.port })
  const lookups = await startRawReceiver((socket) => {
    socket.destroy()
    setTimeout(() => line.release(), lossMs)
  })
  const lookup = `
    import dns from 'node:dns'
    import net from 'node:net'
    dns.lookup = (host, options, callback) => {
      net.connect(${lookups.port}, '127.0.0.1').on('error', () => undefined)
      callback(null, ${JSON.stringify([slow, dead])})
    }
  `
  return {
    url: `http://far.example.test:${line.port}`,
    nodeOptions: `--import "data:text/javascript,${encodeURIComponent(lookup)}"`,
    get lookups() {
      return lookups.connections
    },
    async close() {
      await lookups.close()
      await line.close()
      await receiver.close()
    },
  }
}
