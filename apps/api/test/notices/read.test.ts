import { describe, beforeEach, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi, type TestTenant } from '../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'
import { writeNotice, type NoticeView } from '../support/notices.ts'
import { invalid, refusalOf } from '../support/refusals.ts'

const api = useApi()
let tenant: TestTenant
let ana: Awaited<ReturnType<typeof makeSignedIn>>
let notices: NoticeView[]

beforeEach(async () => {
  tenant = await api.makeTenant()
  ana = await makeSignedIn(api, tenant)
  for (const name of ['a', 'b', 'c']) await writeNotice(api, ana.userId, name)
  notices = (await callWith(api, ana)('get', '/notices')).body.items
})

const read = (body?: object) => callWith(api, ana)('post', '/notices/read', { body })

/** The occurrences of the unread notices, oldest first. */
const listUnread = async (session = ana) => {
  const { body } = await callWith(api, session)('get', '/notices?unread=true')
  return (body.items as NoticeView[]).map(({ subject }) => subject.id).toReversed()
}

describe('POST /notices/read', () => {
  test('204 marks the given notices as read', async () => {
    const { status, text } = await read({ ids: [notices[0]!.id, notices[1]!.id.toUpperCase()] })
    expect({ status, text }).toEqual({ status: 204, text: '' })
    expect(await listUnread()).toEqual(['a'])
  })

  test.each([
    ['without a body', undefined],
    ['with an empty body', {}],
  ])('204 %s marks all', async (_which, body) => {
    expect((await read(body)).status).toBe(204)
    expect(await listUnread()).toEqual([])
  })

  test('204 with an empty list marks none', async () => {
    expect((await read({ ids: [] })).status).toBe(204)
    expect(await listUnread()).toEqual(['a', 'b', 'c'])
  })

  test("unknown ids and ids of other people's notices are ignored", async () => {
    const bea = await makeSignedIn(api, tenant)
    await writeNotice(api, bea.userId, 'of bea')
    const foreign = (await callWith(api, bea)('get', '/notices')).body.items[0].id
    expect((await read({ ids: [foreign, randomUUID(), notices[2]!.id] })).status).toBe(204)
    expect(await listUnread()).toEqual(['b', 'c'])
    expect((await read()).status).toBe(204)
    expect(await listUnread(bea)).toEqual(['of bea'])
  })

  test('reading a notice again keeps its first read_at', async () => {
    await read({ ids: [notices[0]!.id] })
    const readAt = async () => (await callWith(api, ana)('get', '/notices')).body.items[0].read_at
    const first = await readAt()
    await read()
    expect(await readAt()).toBe(first)
  })

  test('422 validation_failed for a malformed id or an unknown member', async () => {
    expect(refusalOf(await read({ ids: ['x'] }))).toEqual(invalid('/ids/0'))
    expect(refusalOf(await read({ all: true }))).toEqual(invalid('/all'))
    expect(await listUnread()).toEqual(['a', 'b', 'c'])
  })

  test('403 csrf_failed without the CSRF token, and no notice is marked', async () => {
    const response = await api.call('post', '/notices/read', { headers: { cookie: ana.cookie } })
    expect(refusalOf(response)).toEqual({ status: 403, code: 'csrf_failed' })
    expect(await listUnread()).toEqual(['a', 'b', 'c'])
  })

  test('an Idempotency-Key replays the response', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const call = callWith(api, ana)
    await call('post', '/notices/read', { headers })
    await writeNotice(api, ana.userId, 'later')
    const again = await call('post', '/notices/read', { headers })
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([204, 'true'])
    expect(await listUnread()).toEqual(['later'])
  })
})
