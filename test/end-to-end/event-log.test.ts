import { expect, test } from '@jest/globals'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { root } from '../../tools/run.ts'
import { siteData } from '../support/events.ts'
import type { ServiceProcess } from '../support/processes.ts'
import { until, useStack } from '../support/stack.ts'
import { startTcpProxy } from '../support/tcp-proxy.ts'
import { writeTemporary } from '../support/temporary-folder.ts'

const stack = useStack()

const restarts = 3
const publishers = 4
const batchMax = 10
const pauseMs = 50

test('a reader that follows the log gets every event once and in order, even if processes are killed', async () => {
  const tenant = await stack.api.makeTenant()
  const { token } = await tenant.makeKey()
  let service: ServiceProcess = await stack.startApi()
  const proxy = await startTcpProxy(() => `http://127.0.0.1:${service.port}/`)
  const reader = startReader({ BASE_URL: proxy.url, TOKEN: token })
  const publishing = startPublishing(tenant.id)
  for (let restart = 0; restart < restarts; restart += 1) {
    await reader.untilMore()
    if (restart % 2 === 0) await service.kill()
    else await service.stop()
    // Without a service, the reader waits. It may also be killed while it does.
    if (restart === 1) await reader.kill()
    service = await stack.startApi()
    if (restart === 1) reader.start()
    await reader.untilMore()
    await reader.kill()
    reader.start()
  }
  const accepted = await publishing.stop()
  const last = accepted.at(-1)!
  await until(
    async () => reader.ids(),
    (ids) => ids.includes(last),
    60_000,
  )
  await reader.kill()
  await proxy.close()
  const { rows } = await stack.database.pool.query<{ event_id: string }>(
    'SELECT event_id FROM events WHERE tenant_id = $1 ORDER BY position',
    [tenant.id],
  )
  expect(reader.ids()).toEqual(rows.map(({ event_id }) => event_id))
  expect(reader.ids().toSorted()).toEqual(accepted.toSorted())
}, 240_000)

/** Publishes batches of different sizes concurrently until it is stopped, and then a last event. */
function startPublishing(tenantId: string) {
  const accepted: string[] = []
  const stopping = new AbortController()
  const event = { tenant_id: tenantId, type: 'site.created', data: siteData }
  const publish = async (count: number): Promise<void> => {
    const events = Array.from({ length: count }, () => event)
    const { status, body } = await stack.api.callInternal('post', '/events', { events })
    expect(status).toBe(202)
    accepted.push(...(body.items as { id: string }[]).map(({ id }) => id))
  }
  const publishAll = async (publisher: number): Promise<void> => {
    for (let turn = publisher; !stopping.signal.aborted; turn += 1) {
      await publish(1 + ((turn * 7) % batchMax))
      await setTimeout(pauseMs)
    }
  }
  const publishing = Promise.all(Array.from({ length: publishers }, (_, each) => publishAll(each)))
  return {
    async stop() {
      stopping.abort()
      await publishing
      await publish(1)
      return accepted
    },
  }
}

/** A process that follows the log and is killed and started again. See `event-log-reader.ts`. */
function startReader(environment: Readonly<Record<string, string>>) {
  const file = writeTemporary('event-log.txt', '')
  const ids = (): string[] =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' ')[0]!)
  const start = (): ChildProcess =>
    spawn(process.execPath, [`${root}test/end-to-end/event-log-reader.ts`], {
      env: { ...process.env, ...environment, FILE: file },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  let running = start()
  return {
    ids,
    start() {
      running = start()
    },
    async kill() {
      const ended = once(running, 'exit')
      running.kill('SIGKILL')
      const [, signal] = await ended
      expect(signal).toBe('SIGKILL')
    },
    /** Waits until it has read further events. */
    async untilMore() {
      const { length } = ids()
      await until(
        async () => ids().length,
        (count) => count > length,
        60_000,
      )
    },
  }
}
