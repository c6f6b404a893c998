import { once } from 'node:events'
import net, { type Socket } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** A port of 127.0.0.1 on which connecting neither succeeds nor fails. */
export interface BlackHole {
  readonly port: number
  close(): Promise<void>
}

// A thread that listens and then stands still, so that it accepts nothing.
const listenAndStandStill = `
  const { parentPort } = require('node:worker_threads')
  const server = require('node:net').createServer()
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
  })
`

/** Opens a black hole: a listener whose queue of connections is full and stays so. */
export async function openBlackHole(): Promise<BlackHole> {
  const thread = new Worker(listenAndStandStill, { eval: true })
  const [port] = (await once(thread, 'message')) as [number]
  const queued: Socket[] = []
  let full = false
  while (!full) {
    const socket = net.connect(port, '127.0.0.1').on('error', () => undefined)
    queued.push(socket)
    await Promise.race([once(socket, 'connect'), setTimeout(hangsAfterMs)])
    // After a pause of this process the time is over before it has looked whether it is connected.
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
