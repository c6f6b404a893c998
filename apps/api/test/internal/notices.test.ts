import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { makePerson } from '../../../../test/support/session.ts'
import { writeNotice } from '../support/notices.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { testServiceAccess } from '../support/service-access.ts'

const api = useApi()

testServiceAccess(api, { verb: 'get', path: '/notices' })

const read = (query: string) => api.callInternal('get', `/notices${query}`)

/** The cursor after every notice so far. */
async function findEnd(): Promise<string> {
  let after = (await read('')).body.next_cursor as string
  for (;;) {
    const { body } = await read(`?limit=100&after=${after}`)
    if (body.items.length === 0) return after
    after = body.next_cursor
  }
}

describe('GET /notices', () => {
  test('200 returns the notices of all people after the cursor, oldest first', async () => {
    const tenant = await api.makeTenant()
    const [ana, bea] = [await makePerson(api, tenant), await makePerson(api, tenant)]
    const end = await findEnd()
    await writeNotice(api, ana.id, 'first')
    await writeNotice(api, bea.id, 'second')
    const { status, body } = await read(`?after=${end}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      items: [
        {
          id: expect.any(String),
          type: 'webhook.failing',
          created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
          tenant_id: tenant.id,
          user: { id: ana.id, email: ana.email },
          title: 'Endpoint “Pager” is failing',
          text: expect.stringMatching(/^5 attempts in a row/),
          subject: { type: 'webhook', id: 'first', name: 'Pager' },
          path: '/webhooks/first',
        },
        expect.objectContaining({ user: { id: bea.id, email: bea.email } }),
      ],
      next_cursor: expect.any(String),
    })
  })

  test('next_cursor is a string even at the end, and later continues from there', async () => {
    const ana = await makePerson(api, await api.makeTenant())
    const end = await findEnd()
    const { body } = await read(`?after=${end}`)
    expect(body).toEqual({ items: [], next_cursor: end })
    for (const name of ['a', 'b', 'c']) await writeNotice(api, ana.id, name)
    const first = await read(`?after=${end}&limit=2`)
    const second = await read(`?after=${first.body.next_cursor}&limit=2`)
    const subjects = [...first.body.items, ...second.body.items].map(({ subject }) => subject.id)
    expect(subjects).toEqual(['a', 'b', 'c'])
  })

  test('422 validation_failed for an invalid cursor or limit', async () => {
    expect(refusalOf(await read('?after=x'))).toEqual(invalid('/after'))
    expect(refusalOf(await read('?after='))).toEqual(invalid('/after'))
    expect(refusalOf(await read('?limit=101'))).toEqual(invalid('/limit'))
    const foreign = Buffer.from('notices:1').toString('base64url')
    expect(refusalOf(await read(`?after=${foreign}`))).toEqual(invalid('/after'))
  })
})
