import { describe, expect, test } from '@jest/globals'
import { useApi, useTenant } from '../../../../test/support/api.ts'
import { createKeysByKey } from '../../../../test/support/key-notices.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'
import { writeNotice, type NoticeView } from '../support/notices.ts'
import { invalid, refusalOf } from '../support/refusals.ts'

const api = useApi()
const tenant = useTenant(api)

const subjectsOf = (items: readonly NoticeView[]) => items.map(({ subject }) => subject.id)

describe('GET /notices', () => {
  test("200 lists the person's own notices, newest first, with all members", async () => {
    const [ana, bea] = [await makeSignedIn(api, tenant), await makeSignedIn(api, tenant)]
    await writeNotice(api, ana.userId, 'first')
    await writeNotice(api, ana.userId, 'second')
    await writeNotice(api, bea.userId, 'foreign')
    const { status, body } = await callWith(api, ana)('get', '/notices')
    expect(status).toBe(200)
    expect(subjectsOf(body.items)).toEqual(['second', 'first'])
    expect(body.items[0]).toEqual({
      id: expect.any(String),
      type: 'webhook.failing',
      created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      read_at: null,
      title: 'Endpoint “Pager” is failing',
      text: expect.stringMatching(/^5 attempts in a row/),
      subject: { type: 'webhook', id: 'second', name: 'Pager' },
      path: '/webhooks/second',
    })
    expect(body.next_cursor).toBeNull()
  })

  test('pages follow the cursor', async () => {
    const ana = await makeSignedIn(api, tenant)
    for (const name of ['a', 'b', 'c']) await writeNotice(api, ana.userId, name)
    const call = callWith(api, ana)
    const first = await call('get', '/notices?limit=2')
    const second = await call('get', `/notices?limit=2&cursor=${first.body.next_cursor}`)
    expect([subjectsOf(first.body.items), subjectsOf(second.body.items)]).toEqual([
      ['c', 'b'],
      ['a'],
    ])
    expect(second.body.next_cursor).toBeNull()
  })

  test('unread=true lists only unread notices, unread=false only read ones', async () => {
    const ana = await makeSignedIn(api, tenant)
    for (const name of ['read', 'unread']) await writeNotice(api, ana.userId, name)
    const call = callWith(api, ana)
    const { body } = await call('get', '/notices')
    await call('post', '/notices/read', { body: { ids: [body.items[1].id] } })
    expect(subjectsOf((await call('get', '/notices?unread=true')).body.items)).toEqual(['unread'])
    expect(subjectsOf((await call('get', '/notices?unread=false')).body.items)).toEqual(['read'])
    expect(subjectsOf((await call('get', '/notices')).body.items)).toEqual(['unread', 'read'])
  })

  test('while impersonating, the notices are those of the impersonator', async () => {
    const [ada, carl] = [
      await makeSignedIn(api, tenant),
      await makeSignedIn(api, tenant, { roles: ['customer'] }),
    ]
    await writeNotice(api, ada.userId, 'of ada')
    await writeNotice(api, carl.userId, 'of carl')
    const { database } = api
    await database.pool.query(
      'UPDATE panel_sessions SET user_id = $2, impersonator_id = $3 WHERE id = $1',
      [ada.sessionId, carl.userId, ada.userId],
    )
    const { body } = await callWith(api, ada)('get', '/notices')
    expect(subjectsOf(body.items)).toEqual(['of ada'])
  })

  test('422 validation_failed for an invalid filter, cursor or limit', async () => {
    const call = callWith(api, await makeSignedIn(api, tenant))
    expect(refusalOf(await call('get', '/notices?unread=yes'))).toEqual(invalid('/unread'))
    expect(refusalOf(await call('get', '/notices?cursor=x'))).toEqual(invalid('/cursor'))
    expect(refusalOf(await call('get', '/notices?limit=0'))).toEqual(invalid('/limit'))
  })

  test('403 api_key_not_allowed with a key, 401 without credentials', async () => {
    const { token } = await tenant.makeKey()
    expect(refusalOf(await api.call('get', '/notices', { token }))).toEqual({
      status: 403,
      code: 'api_key_not_allowed',
    })
    expect((await api.call('get', '/notices')).status).toBe(401)
  })

  test('a key created by a key of the person causes a notice; one created in the panel does not', async () => {
    const ana = await makeSignedIn(api, tenant, { name: 'Ana' })
    const call = callWith(api, ana)
    const [keyId] = await createKeysByKey(api, call, ['ci'])
    const { body } = await call('get', '/notices')
    expect(body.items).toMatchObject([
      {
        type: 'api_key.created',
        subject: { type: 'api_key', id: keyId, name: 'ci' },
        text: expect.stringContaining('Ana created the personal key'),
        path: `/keys/${keyId}`,
      },
    ])
  })

  test('a refused key creation causes no notice', async () => {
    const ana = await makeSignedIn(api, tenant)
    const call = callWith(api, ana)
    expect((await call('post', '/api-keys', { body: { name: 'ci', scopes: ['no'] } })).status).toBe(
      422,
    )
    expect((await call('get', '/notices')).body.items).toEqual([])
  })
})
