import { openDatabase, type Database } from '@hosting/postgres/database'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { root } from '../../../tools/run.ts'
import { makeRedis } from '../../faults/system/killable-server.ts'
import { connect } from '../../support/api.ts'
import { callerOf, type Caller } from '../../support/caller.ts'
import { environmentOn } from '../../support/environment.ts'
import { siteData } from '../../support/events.ts'
import { startService, type ServiceProcess } from '../../support/processes.ts'
import { startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/until.ts'
import { webhookUser } from '../../support/webhook-user.ts'
import { runAuditVerify } from './verify-audit.ts'

/** An API and a worker that an operator stops and starts, with a publisher, a receiver and a reader of the event log. */
export interface Installation {
  /** Waits until this many more events were accepted. */
  accepts(count: number): Promise<void>
  /** Stops the processes, as an operator does. Publishing goes on and fails. */
  stop(): Promise<void>
  /** Starts the processes with a database. */
  start(databaseUrl: string): Promise<void>
  /** Ends publishing, and waits until everything was delivered and read. */
  settle(): Promise<{ accepted: number; undelivered: number; skipped: number; notAccepted: number }>
  /** What audit:verify prints. */
  verifyAudit(databaseUrl: string): Promise<string>
  close(): Promise<void>
}

const directory = `${root}.cache/move-stack-${process.env['JEST_WORKER_ID']}`
const publishPauseMs = 20
const readPauseMs = 200
const repeatAfterMs = 100
const patienceMs = 60_000

/** Starts an installation with an organization, and begins to publish. */
export async function startInstallation(databaseUrl: string): Promise<Installation> {
  const redis = await makeRedis(directory)
  const processes = makeProcesses(redis.url())
  await processes.start(databaseUrl)
  const received = new Set<string>()
  const receiver = await startReceiver({
    respond({ body }) {
      received.add((JSON.parse(body.toString()) as { id: string }).id)
      return { status: 204 }
    },
  })
  const api = connect(processes.database(), processes.api()!)
  const tenant = await api.makeTenant()
  await webhookUser({ api }).subscribe(tenant, receiver.url, ['site.*'])
  const { token } = await tenant.makeKey()
  const caller = () => processes.api() && callerOf(processes.api()!)
  const publisher = startPublisher(caller, tenant.id)
  const reader = startReader(caller, token)
  const { accepted } = publisher
  const missingIn = (seen: ReadonlySet<string>) => accepted.filter((id) => !seen.has(id)).length
  return {
    async accepts(count) {
      const goal = accepted.length + count
      await until(
        async () => accepted.length,
        (sum) => sum >= goal,
        patienceMs,
      )
    },
    stop: processes.stop,
    start: processes.start,
    async settle() {
      const notAccepted = await publisher.end()
      await until(
        async () => missingIn(received),
        (count) => count === 0,
        patienceMs,
      ).catch(() => undefined)
      const skipped = missingIn(await reader.finish())
      return { accepted: accepted.length, undelivered: missingIn(received), skipped, notAccepted }
    },
    verifyAudit: processes.verifyAudit,
    async close() {
      publisher.abandon()
      await Promise.all([publisher.end(), reader.finish()])
      await processes.stop()
      await receiver.close()
      await redis.stop()
    },
  }
}

/** An API and a worker. */
function makeProcesses(redisUrl: string) {
  let database: Database
  let running: ServiceProcess[] = []
  const environmentAt = (databaseUrl: string) =>
    environmentOn({
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      LOG_LEVEL: 'info',
      WEBHOOK_JOB_HOLD_SECONDS: '2',
    })
  return {
    database: () => database,
    api: () => running[0],
    async start(databaseUrl: string): Promise<void> {
      database = openDatabase(databaseUrl, { onError: () => undefined })
      const environment = environmentAt(databaseUrl)
      running = await Promise.all([
        startService('api', environment),
        startService('worker', environment),
      ])
    },
    async stop(): Promise<void> {
      if (running.length === 0) return
      const stopped = running.splice(0)
      await database.close()
      await Promise.all(stopped.map((service) => service.stop()))
    },
    async verifyAudit(databaseUrl: string): Promise<string> {
      await until(
        async () => (await database.pool.query('SELECT 1 FROM audit_unsealed LIMIT 1')).rowCount,
        (count) => count === 0,
        patienceMs,
      )
      return await runAuditVerify(environmentAt(databaseUrl))
    },
  }
}

type FindCaller = () => Caller | undefined

/** Publishes events one by one, and keeps each until it is accepted. */
function startPublisher(caller: FindCaller, tenantId: string) {
  const accepted: string[] = []
  const ending = new AbortController()
  const abandoning = new AbortController()
  let notAccepted = 0

  async function publish(): Promise<void> {
    while (!ending.signal.aborted) {
      const event = { id: randomUUID(), tenant_id: tenantId, type: 'site.created', data: siteData }
      const send = () =>
        caller()
          ?.callInternal('post', '/events', event)
          .catch(() => undefined)
      while ((await send())?.status !== 202) {
        if (abandoning.signal.aborted) return
        notAccepted += 1
        await setTimeout(repeatAfterMs)
      }
      accepted.push(event.id)
      await setTimeout(publishPauseMs)
    }
  }

  const working = publish()
  return {
    accepted,
    /** Ends after the event in progress; returns how many attempts were not accepted. */
    async end(): Promise<number> {
      ending.abort()
      await working
      return notAccepted
    },
    abandon: () => abandoning.abort(),
  }
}

/** Reads the event log from page to page. */
function startReader(caller: FindCaller, token: string) {
  const read = new Set<string>()
  const ending = new AbortController()
  let cursor = ''

  /** Returns whether there was anything new. */
  async function readPage(): Promise<boolean> {
    const after = cursor === '' ? '' : `&cursor=${cursor}`
    const reply = await caller()
      ?.call('get', `/events?types=site.*&limit=50${after}`, { token })
      .catch(() => undefined)
    if (reply?.status !== 200) return false
    const page = reply.body as { items: { id: string }[]; next_cursor: string }
    for (const { id } of page.items) read.add(id)
    cursor = page.next_cursor
    return page.items.length > 0
  }

  async function readOn(): Promise<void> {
    while (!ending.signal.aborted) {
      await readPage()
      await setTimeout(readPauseMs)
    }
  }

  const working = readOn()
  return {
    /** Reads to the end of the log; returns the ids of all that was read. */
    async finish(): Promise<ReadonlySet<string>> {
      ending.abort()
      await working
      while (await readPage());
      return read
    },
  }
}
