import { createUuidv7 } from '@hosting/core/ids'
import { createSessionSecret, formatSessionToken, sessionCookieName } from '@hosting/core/sessions'
import { setTimeout } from 'node:timers/promises'
import { callerOf, type Caller } from '../../support/caller.ts'
import { readiness } from '../../support/observe.ts'
import type { ServiceProcess } from '../../support/processes.ts'
import type { FaultScene } from '../system/fault-scene.ts'
import type { ServiceSlot } from '../system/service-slot.ts'

const pauseMs = 4_000

/** A session that does not exist; whether it does must be asked. */
const cookie = `${sessionCookieName(false)}=${formatSessionToken(createSessionSecret(createUuidv7()))}`

/**
 * Requests that need PostgreSQL, besides those of the other clients: pages, lists, new keys and what the platform asks,
 * of every API, and the readiness of every process. Resolves when the signal has aborted and the last one has ended.
 */
export async function runVisitors(scene: FaultScene, signal: AbortSignal): Promise<void> {
  const { apis, workers } = scene.system
  const visit = async (slot: ServiceSlot, visits: readonly (() => Promise<void>)[]) => {
    while (!signal.aborted) {
      if (slot.process) await Promise.all(visits.map((each) => each()))
      await setTimeout(pauseMs)
    }
  }
  await Promise.all([
    ...apis.map((slot) => visit(slot, [...visitsOf(scene, slot), readChecks(scene, slot)])),
    ...workers.map((slot) => visit(slot, [readChecks(scene, slot)])),
  ])
}

function visitsOf({ recorder, world }: FaultScene, slot: ServiceSlot): (() => Promise<void>)[] {
  const { token } = world.tenants[0]!
  const body = { name: 'ci', scopes: ['webhooks:read'] }
  const access = {
    authorization: `Bearer ${token}`,
    ip: '203.0.113.7',
    method: 'GET',
    permission: 'sites.read',
  }
  const asks: Readonly<Record<string, (caller: Caller) => Promise<{ status: number }>>> = {
    'page /webhooks': () => getPage(slot.process!, '/webhooks'),
    'page /docs/api/webhooks': () => getPage(slot.process!, '/docs/api/webhooks'),
    'GET /webhooks': (caller) => caller.call('get', '/webhooks', { token }),
    'POST /api-keys': (caller) => caller.call('post', '/api-keys', { token, body }),
    'POST /authorize': (caller) => caller.callInternal('post', '/authorize', access),
    'GET /notices': (caller) => caller.callInternal('get', '/notices'),
  }
  return Object.entries(asks).map(([path, ask]) => async () => {
    const call = recorder.invoke('visitor', 'visit', { path: `${slot.name}: ${path}` })
    const reply = await ask(callerOf(slot.process!)).catch(() => undefined)
    if (!reply || reply.status >= 500) call.info({ status: reply?.status })
    else call.ok({ status: reply.status })
  })
}

const getPage = ({ port }: ServiceProcess, path: string): Promise<{ status: number }> =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: 'text/html', cookie } })

const readChecks =
  ({ recorder }: FaultScene, slot: ServiceSlot) =>
  async (): Promise<void> => {
    const call = recorder.invoke('visitor', 'read readiness', { process: slot.name })
    const report = await readiness(slot.process!).catch(() => undefined)
    if (!report) return call.info()
    const failed = Object.entries(report.checks).filter(([, result]) => result === 'unavailable')
    call.ok({ status: report.status, unavailable: failed.map(([name]) => name) })
  }
