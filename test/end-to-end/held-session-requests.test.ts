import { describe, expect, test } from '@jest/globals'
import { type CallerResponse } from '../support/caller.ts'
import { holdRequests, type HeldRequest } from '../support/held-requests.ts'
import {
  makePerson,
  unknownPassword,
  type TestPerson,
  type TestSession,
} from '../support/session.ts'
import {
  stack,
  here,
  elsewhereUrl,
  type Subject,
  makeSubject,
  putUser,
  gone,
  changes,
  expectStatus,
  cookieOf,
} from '../support/held-session-requests.ts'

// Requests and forms whose bodies arrive after their session lost the permission for the change. Another process
// than the one that holds the requests makes the change.

const heldCount = 50

const requestOf = (
  session: TestSession,
  { path, body }: { path: string; body: object } = createKey,
  headers: Record<string, string> = {},
): HeldRequest => ({
  url: stack.api.url,
  verb: 'POST',
  path: `/api/v1${path}`,
  headers: { ...cookieOf(session), 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

const createKey = { path: '/api-keys', body: { name: 'spare', scopes: ['*'] } }

const formOf = ({ cookie, csrfToken }: TestSession): HeldRequest => ({
  url: stack.api.url,
  verb: 'POST',
  path: '/keys/new',
  headers: {
    cookie,
    accept: 'text/html',
    'sec-fetch-site': 'same-origin',
    'Content-Type': 'application/x-www-form-urlencoded',
  },
  body: new URLSearchParams({
    do: 'create',
    csrf_token: csrfToken,
    name: 'spare',
    scopes: '*',
    lifetime: 'never',
  }).toString(),
})

const times = <T>(make: (index: number) => T): T[] =>
  Array.from({ length: heldCount }, (_, index) => make(index))

/** Completes after the held requests were authenticated: it reads its session as they do, after them. */
const passBy =
  ({ own }: Subject) =>
  () =>
    here.call('get', '/auth/session', { headers: cookieOf(own) })

const countKeys = async (tenantId: string): Promise<number> =>
  stack.database.prisma.apiKey.count({ where: { tenantId } })

const countRecords = async ({ id }: TestPerson): Promise<number> =>
  stack.database.prisma.idempotencyRecord.count({ where: { caller: { startsWith: `user:${id}` } } })

describe(`${heldCount} requests whose bodies arrive late change nothing if, before that,`, () => {
  test.each(changes)('$name', async ({ make, status, code }) => {
    const subject = await makeSubject()
    const { session, tenant, person } = subject
    const release = await holdRequests(
      times((index) =>
        requestOf(
          session,
          createKey,
          index % 2 === 0 ? {} : { 'Idempotency-Key': `held-${index}` },
        ),
      ),
      passBy(subject),
    )
    await make(subject)
    const responses = await release()
    expect(responses.map((response) => ({ status: response.status, code: response.code }))).toEqual(
      times(() => ({ status, code })),
    )
    expect(await countKeys(tenant.id)).toBe(0)
    expect(await countRecords(person)).toBe(0)
    const repeated = await here.call('post', createKey.path, {
      headers: cookieOf(session),
      body: createKey.body,
    })
    expect({ status: repeated.status, code: repeated.code }).toEqual({ status, code })
  })
})

describe(`${heldCount} forms of the panel whose fields arrive late change nothing if, before that,`, () => {
  test.each(changes)('$name', async ({ make, form }) => {
    const subject = await makeSubject()
    const request = formOf(subject.session)
    const release = await holdRequests(
      times(() => request),
      passBy(subject),
    )
    await make(subject)
    const responses = await release()
    const shown = responses.map(({ status, headers }) => ({
      status,
      ...('location' in headers && { location: headers['location'] }),
    }))
    expect(shown).toEqual(times(() => form))
    expect(await countKeys(subject.tenant.id)).toBe(0)
  })
})

test('an ended session does not change the password with a request whose body arrives late', async () => {
  const subject = await makeSubject()
  const change = { path: '/auth/password', body: { new_password: 'the thief chose this one' } }
  const release = await holdRequests(
    times(() => requestOf(subject.session, change)),
    passBy(subject),
  )
  await changes[1]!.make(subject)
  const responses = await release()
  expect(responses.map(({ status, code }) => ({ status, code }))).toEqual(
    times(() => ({ status: gone.status, code: gone.code })),
  )
  const { id } = subject.person
  expect(await stack.database.prisma.user.findUnique({ where: { id } })).toMatchObject({
    passwordHash: unknownPassword,
  })
  await expectStatus(here.call('get', '/auth/session', { headers: cookieOf(subject.own) }), 200)
})

test('an impersonation ends for requests in progress when the impersonator is demoted', async () => {
  const subject = await makeSubject()
  const other = await makePerson(stack.api, subject.tenant)
  const started = await fetch(`${elsewhereUrl}/api/v1/auth/impersonation`, {
    method: 'POST',
    headers: { ...cookieOf(subject.session), 'content-type': 'application/json' },
    body: JSON.stringify({ user_id: other.id }),
  })
  expect(started.status).toBe(201)
  const [cookie = ''] = started.headers.getSetCookie()[0]!.split(';')
  const { csrf_token: csrfToken } = (await started.json()) as { csrf_token: string }
  const session = { ...subject.session, cookie, csrfToken }
  const webhook = { path: '/webhooks', body: { url: 'https://example.com/', events: ['*'] } }
  const release = await holdRequests(
    times(() => requestOf(session, webhook)),
    passBy(subject),
  )
  await putUser(subject, { roles: ['support'] })
  const responses = await release()
  expect(responses.map(({ status, code }) => ({ status, code }))).toEqual(
    times(() => ({ status: gone.status, code: gone.code })),
  )
  const where = { tenantId: subject.tenant.id }
  expect(await stack.database.prisma.webhookEndpoint.count({ where })).toBe(0)
})

test('changes of a busy session do not delay its end', async () => {
  const subject = await makeSubject()
  const { session } = subject
  const makeKey = (index: number): Promise<CallerResponse> =>
    here.call('post', '/api-keys', {
      headers: cookieOf(session),
      body: { name: `busy ${index}`, scopes: ['*'] },
    })
  const ended = new AbortController()
  const busy = Array.from({ length: 8 }, async (_, lane) => {
    while (!ended.signal.aborted) await makeKey(lane)
  })
  await makeKey(0)
  // If it waited for the changes, it would fail by the time limit of a lock.
  await changes[1]!.make(subject)
  ended.abort()
  await Promise.all(busy)
  const made = await countKeys(subject.tenant.id)
  expect((await makeKey(1)).status).toBe(401)
  expect(await countKeys(subject.tenant.id)).toBe(made)
})
