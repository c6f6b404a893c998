import { setTimeout } from 'node:timers/promises'
import type { Recorder } from '../history/recorder.ts'
import type { Served } from '../system/service-slot.ts'
import type { Tenant, World } from '../system/world.ts'
import { callPublic } from './request.ts'

/** Readers that follow the event log of each organization. */
export interface LogReaders {
  /** Continues to the end of the logs, and stops. Call it when the service works and nothing is published any more. */
  finish(): Promise<void>
  /** Stops at once. */
  abandon(): void
}

/** Small, so that a reader is often in the middle of the log. */
const pageSize = 7
const pauseMs = 400
/** The end of the log must be reached within this time after everything works again, in ms. */
const patienceMs = 60_000

/** Starts to follow the logs from their beginning, at all processes in turn, from page to page whatever fails. */
export function startLogReaders({
  recorder,
  apis,
  world,
}: {
  readonly recorder: Recorder
  readonly apis: readonly Served[]
  readonly world: Pick<World, 'tenants'>
}): LogReaders {
  let deadline = Infinity
  const reading = Promise.all(world.tenants.map((tenant) => follow(tenant)))

  async function follow(tenant: Tenant): Promise<void> {
    let cursor: string | undefined
    for (let turn = 0; performance.now() < deadline; turn++) {
      const isFinishing = deadline !== Infinity
      const next = await readPage(apis[turn % apis.length]!, tenant, cursor)
      const isEnd = next !== undefined && next === cursor
      if (isEnd && isFinishing) return
      if (isEnd || next === undefined) await setTimeout(pauseMs)
      cursor = next ?? cursor
    }
  }

  /** Returns the cursor of what follows. `undefined`: the page was not received. */
  async function readPage(
    slot: Served,
    { id, token }: Tenant,
    cursor: string | undefined,
  ): Promise<string | undefined> {
    const call = recorder.invoke('log reader', 'read log', { tenant: id })
    const after = cursor === undefined ? '' : `&cursor=${cursor}`
    const reply = await callPublic(
      slot,
      ['get', `/events?types=site.*&limit=${pageSize}${after}`],
      { token },
    )
    if (reply?.status !== 200) {
      call.info({ status: reply?.status })
      return undefined
    }
    const { items, next_cursor } = reply.body as { items: { id: string }[]; next_cursor: string }
    call.ok({ events: items.map((event) => event.id) })
    return next_cursor
  }

  return {
    async finish() {
      deadline = performance.now() + patienceMs
      await reading
    },
    abandon() {
      deadline = -Infinity
    },
  }
}
