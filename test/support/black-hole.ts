import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** A port on which a connection attempt neither succeeds nor fails. */
export interface BlackHole {
  readonly port: number
  /**
   * Accepts connections from now on, and forwards them. A client whose first packet was lost connects when it repeats
   * it, a second after it began, as on a bad line.
   */
  release(): void
  close(): Promise<void>
}

/** Where a black hole is, and where it forwards connections to once it is released. */
export interface BlackHoleOptions {
  readonly host?: string
  readonly port?: number
  /** A port of 127.0.0.1. */
  readonly forwardTo?: number
}

// A thread that listens and then blocks, so that it accepts no connections.
const listenAndHang = `
  const { parentPort, workerData } = require('node:worker_threads')
  const net = require('node:net')
  const { host, port, forwardTo, gate } = workerData
  const server = net.createServer((socket) => {
    const forward = net.connect(forwardTo, '127.0.0.1').on('error', () => socket.destroy())
    socket.on('error', () => forward.destroy()).pipe(forward).pipe(socket)
  })
  server.listen({ host, port, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(gate, 0, 0))
  })
`

/** Opens a black hole: a listener whose accept queue is full and stays full. */
export async function openBlackHole({
  host = '127.0.0.1',
  port: wanted = 0,
  forwardTo = 1,
}: BlackHoleOptions = {}): Promise<BlackHole> {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const workerData = { host, port: wanted, forwardTo, gate }
  const thread = new Worker(listenAndHang, { eval: true, workerData })
  const [port] = (await once(thread, 'message')) as [number]
  const queued: Socket[] = []
  let full = false
  while (!full) {
    const socket = net.connect(port, host).on('error', () => undefined)
    queued.push(socket)
    await Promise.race([once(socket, 'connect'), setTimeout(hangsAfterMs)])
    // If this process was paused, the timeout can expire before the connection is checked.
    await setImmediate()
    full = socket.connecting
  }
  const release = () => {
    for (const socket of queued) socket.destroy()
    Atomics.store(gate, 0, 1)
    Atomics.notify(gate, 0)
  }
  return {
    port,
    release,
    async close() {
      release()
      await thread.terminate()
    },
  }
}

const hangsAfterMs = 150
