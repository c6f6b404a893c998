import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { failWith, startMailServer, type MailServer } from '../support/mail-server.ts'
import { createKeysByKey } from '../support/key-notices.ts'
import { readMetric, readiness, untilRan, untilRounds } from '../support/observe.ts'
import type { ServiceProcess } from '../support/processes.ts'
import { callWith, makePerson, makeSignedIn } from '../support/session.ts'
import { until, useStack } from '../support/stack.ts'
import { writeNoticeTo } from '../support/written-notices.ts'

const stack = useStack()
const panelUrl = 'https://panel.example.test'
let server: MailServer
let environment: Record<string, string>
const workers: ServiceProcess[] = []

beforeAll(async () => {
  server = await startMailServer()
  environment = {
    SMTP_URL: server.url,
    MAIL_FROM: 'notices@example.test',
    PUBLIC_URL: panelUrl,
    MAIL_DIGEST_SECONDS: '0',
  }
})
afterAll(() => server.close())

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.kill()))
  for (const name of ['connect', 'from', 'recipient', 'message'] as const) {
    server.steps[name] = () => Promise.resolve()
  }
  server.received.length = 0
  await stack.database.pool.query('DELETE FROM notices')
})

async function startMailer(overrides: Record<string, string> = {}): Promise<ServiceProcess> {
  const worker = await stack.startWorker({ ...environment, ...overrides })
  workers.push(worker)
  return worker
}

/** An administrator with notices that wait for their mails. */
async function makePersonWithNotices(count = 1, name = 'ci') {
  const ana = await makeSignedIn(stack.api, await stack.api.makeTenant(), { name: 'Ana' })
  const call = callWith(stack.api, ana)
  const names = Array.from({ length: count }, () => name)
  await createKeysByKey(stack.api, call, names)
  const { items } = (await call('get', '/notices')).body
  return { ana, call, ids: (items as { id: string }[]).map(({ id }) => id) }
}

interface MailRow {
  readonly outcome: string | null
  readonly tries: number
  readonly held: boolean
}

const readMails = async (): Promise<MailRow[]> => {
  const { rows } = await stack.database.pool.query<MailRow>(
    'SELECT outcome, tries, lease_id IS NOT NULL AS held FROM notice_mails',
  )
  return rows
}
const untilMails = (isDone: (mail: MailRow) => boolean) =>
  until(readMails, (mails) => mails.every(isDone))
const isOver = ({ outcome }: MailRow) => outcome !== null
const hasFailed = ({ tries, held }: MailRow) => tries > 0 && !held

/** The delay before the next try, or the lease of a killed worker, is over. */
const passDelay = () => stack.database.pool.query('UPDATE notice_mails SET due_at = now()')

const messageIdOf = (noticeId: string) => `<${noticeId}@example.test>`

describe('a mail', () => {
  test('is text and HTML with links to the panel, and loads no external content', async () => {
    const { ana, ids } = await makePersonWithNotices(1, '<b>ci & "co"</b>')
    await startMailer()
    const [mail] = await server.arrivalOf(1)
    expect(mail).toMatchObject({
      from: 'notices@example.test',
      to: [ana.email],
      messageId: messageIdOf(ids[0]!),
    })
    const source = mail!.source.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    expect(source).toMatch(/^From: Hosting Control <notices@example\.test>$/m)
    expect(source).toContain('Content-Type: text/plain; charset=utf-8')
    expect(source).toContain('Content-Type: text/html; charset=utf-8')
    expect(source).toContain('Auto-Submitted: auto-generated')
    expect(source).toContain('&lt;b&gt;ci &amp; &quot;co&quot;&lt;/b&gt;')
    const html = source.slice(source.indexOf('<!doctype html>'))
    const links = [...html.matchAll(/(?:href|src|url\()="?([^"]+)/g)].map(([, url]) => url)
    expect(links).toEqual([
      expect.stringMatching(new RegExp(`^${panelUrl}/keys/[a-z2-7]{12}$`)),
      `${panelUrl}/security#notifications`,
    ])
    expect(html).not.toMatch(/<img|<script|<link|<iframe/)
    expect(html).toMatch(
      /<a style="display:inline-block[^"]*" href="[^"]*\/keys\/[^"]*">View key<\/a>/,
    )
    expect(source).toMatch(/^View key: https:\/\/panel\.example\.test\/keys\/[a-z2-7]{12}\r?$/m)
    await untilMails(isOver)
    expect(await readMails()).toEqual([{ outcome: 'sent', tries: 1, held: false }])
  })

  test('is sent once for any number of workers', async () => {
    const { ids } = await makePersonWithNotices(12)
    await Promise.all([startMailer(), startMailer(), startMailer()])
    await untilMails(isOver)
    const sent = server.received.map(({ messageId }) => messageId)
    expect(sent.toSorted()).toEqual(ids.map(messageIdOf).toSorted())
  })

  test('is not sent if its setting is off or is turned off while the mail is pending', async () => {
    const { call } = await makePersonWithNotices(1)
    const email = { webhooks: true, api_keys: false, security: true }
    expect((await call('put', '/auth/notification-settings', { body: { email } })).status).toBe(200)
    await createKeysByKey(stack.api, call, ['later'])
    expect(await readMails()).toMatchObject([{ outcome: 'withdrawn' }])
    const { ids } = await makePersonWithNotices(1)
    await startMailer()
    await untilMails(isOver)
    expect(server.received.map(({ messageId }) => messageId)).toEqual(ids.map(messageIdOf))
  })

  test('does not wait for the mails of another organization', async () => {
    const busy = await stack.api.makeTenant()
    for (let count = 0; count < 20; count++) await makePerson(stack.api, busy)
    const users = await stack.database.prisma.user.findMany({ where: { tenantId: busy.id } })
    const people = users.map(({ id }) => id)
    for (let number = 1; number <= 20; number++)
      await writeNoticeTo(stack.database, { people, occurrence: String(number) })
    const { ana } = await makePersonWithNotices(1)
    await startMailer()
    await server.arrivalOf(8)
    const first = server.received.slice(0, 8).flatMap(({ to }) => to)
    expect(first).toContain(ana.email)
  })

  test('contains several notices of a person, and what follows a short time later comes in one more', async () => {
    const { ana, call, ids } = await makePersonWithNotices(3)
    await startMailer({ MAIL_DIGEST_SECONDS: '3' })
    const [first] = await server.arrivalOf(1)
    expect(first!.to).toEqual([ana.email])
    const source = first!.source.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    expect(source).toMatch('<title>API key =E2=80=9Cci=E2=80=9D was created (and 2 more)</title>')
    expect(
      source.match(/API key =E2=80=9Cci=E2=80=9D was created/g)!.length,
    ).toBeGreaterThanOrEqual(3)
    expect(source.match(/display:inline-block/g)).toHaveLength(1)
    expect(source).toContain(`href="${panelUrl}/notices">View notices</a>`)
    expect(ids.map(messageIdOf)).toContain(first!.messageId)
    const sentAt = performance.now()
    await createKeysByKey(stack.api, call, ['later', 'last'])
    await untilMails(isOver)
    expect(performance.now() - sentAt).toBeGreaterThan(1_000)
    expect(server.received).toHaveLength(2)
    expect(server.received[1]!.source).toMatch(/was created \(and 1 more\)/)
  })

  test('waits while no mail server is configured', async () => {
    await makePersonWithNotices(1)
    const worker = await startMailer({ SMTP_URL: '', MAIL_FROM: '' })
    await untilRounds(worker, 'restore-wakeups', 1)
    expect(await readMails()).toEqual([{ outcome: null, tries: 0, held: false }])
  })
})

describe('a mail failure', () => {
  test.each(['connect', 'from', 'recipient', 'message'] as const)(
    'is retried if it is temporary, at step %s, and the mail is then sent once',
    async (step) => {
      const { ids } = await makePersonWithNotices()
      server.steps[step] = failWith(451)
      await startMailer()
      await untilMails(hasFailed)
      server.received.length = 0
      server.steps[step] = () => Promise.resolve()
      await passDelay()
      await untilMails(isOver)
      expect(server.received.map(({ messageId }) => messageId)).toEqual(ids.map(messageIdOf))
      expect(await readMails()).toMatchObject([{ outcome: 'sent' }])
    },
  )

  test('is counted and not retried if it is permanent', async () => {
    await makePersonWithNotices()
    server.steps.recipient = failWith(550)
    const worker = await startMailer()
    await untilMails(isOver)
    expect(await readMails()).toEqual([{ outcome: 'refused', tries: 1, held: false }])
    expect(await readMetric(worker, 'hosting_mails_total{outcome="refused"}')).toBe(1)
    expect(worker.lines.join('\n')).not.toContain('@example.test')
  })

  test('leaves the mail pending while the server is unavailable, and the worker stays ready', async () => {
    const { ids } = await makePersonWithNotices()
    const away = await startMailServer()
    await away.close()
    const worker = await startMailer({ SMTP_URL: away.url })
    await untilMails(hasFailed)
    await until(
      () => readiness(worker),
      ({ status }) => status === 200,
    )
    const back = await startMailServer({ port: away.port })
    await passDelay()
    await untilMails(isOver)
    expect(back.received.map(({ messageId }) => messageId)).toEqual(ids.map(messageIdOf))
    await back.close()
  })
})

/** Makes the server hang at a step. Resolves once a worker has reached it. */
const hangAt = (step: keyof MailServer['steps']): Promise<void> =>
  new Promise((resolve) => {
    server.steps[step] = () => {
      resolve()
      return new Promise(() => undefined)
    }
  })

describe('kill -9 of the worker', () => {
  /** Runs until the server reaches a step, kills the worker there, and lets another worker finish. */
  async function killAt(step: 'connect' | 'from' | 'recipient' | 'message') {
    const { ids } = await makePersonWithNotices()
    const reached = hangAt(step)
    const worker = await startMailer()
    await reached
    await worker.kill()
    server.steps[step] = () => Promise.resolve()
    expect(await readMails()).toEqual([{ outcome: null, tries: 1, held: true }])
    await passDelay()
    await startMailer()
    await untilMails(isOver)
    expect(await readMails()).toEqual([{ outcome: 'sent', tries: 2, held: false }])
    return { sent: server.received.map(({ messageId }) => messageId), id: messageIdOf(ids[0]!) }
  }

  test.each(['connect', 'from', 'recipient'] as const)(
    'at step %s, before the message: the mail is sent once',
    async (step) => {
      const { sent, id } = await killAt(step)
      expect(sent).toEqual([id])
    },
  )

  test('after the message, before the response: the mail is sent at most once more, with the same Message-ID', async () => {
    const { sent, id } = await killAt('message')
    expect(sent).toEqual([id, id])
  })

  test('after the response was recorded: the mail is not sent again', async () => {
    const { ids } = await makePersonWithNotices()
    const worker = await startMailer()
    await untilMails(isOver)
    await worker.kill()
    await passDelay()
    const other = await startMailer()
    await untilRan(other, 'send-mails')
    expect(server.received.map(({ messageId }) => messageId)).toEqual(ids.map(messageIdOf))
  })

  test('while the server accepts nothing, a stopped worker exits in time and releases the mail', async () => {
    await makePersonWithNotices()
    const reached = hangAt('recipient')
    const worker = await startMailer()
    await reached
    expect(await worker.stop()).toBe(0)
    expect(await readMails()).toEqual([{ outcome: null, tries: 0, held: false }])
  })
})
