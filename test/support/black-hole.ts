import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** A port of 127.0.0.1 on which a connection attempt neither succeeds nor fails. */
export interface BlackHole {
  readonly port: number
  close(): Promise<void>
}

// A thread that listens and then blocks, so that it accepts no connections.
const listenAndHang = `
  const { parentPort } = require('node:worker_threads')
  const server = require('node:net').createServer()
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })
`

/** Opens a black hole: a listener whose accept queue is full and stays full. */
export async function openBlackHole(): Promise<BlackHole> {
  const thread = new Worker(listenAndHang, { eval: true })
  const [port] = (await once(thread, 'message')) as [number]
  const queued: Socket[] = []
  let full = false
  while (!full) {
    const socket = net.connect(port, '127.0.0.1').on('error', () => undefined)
    queued.push(socket)
    await Promise.race([once(socket, 'connect'), setTimeout(hangsAfterMs)])
    // If this process was paused, the timeout can expire before the connection is checked.
    await setImmediate()
    full = socket.connecting
  }
  return {
    port,
    async close() {
      for (const socket of queued) socket.destroy()
      await thread.terminate()
    },
  }
}

const hangsAfterMs = 150
