import { describe, expect, test } from '@jest/globals'
import { createHash, randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { serviceToken } from '../../../../../test/support/environment.ts'
import { makePerson } from '../../../../../test/support/session.ts'
import { auditEntriesOf } from '../../support/audit.ts'
import { invalid, notFound, refusalOf } from '../../support/refusals.ts'
import { testServiceAccess } from '../../support/service-access.ts'

const tokenHash = createHash('sha256').update(serviceToken).digest('hex')
const api = useApi({ PUBLIC_URL: 'https://panel.test' })
const named = useApi({ INTERNAL_TOKENS: `${'ab'.repeat(32)},control-panel:${tokenHash}` })

testServiceAccess(api, { verb: 'post', path: `/users/${randomUUID()}/sign-in-links`, body: {} })

const create = (id: string, body?: object, from = api) =>
  from.callInternal('post', `/users/${id}/sign-in-links`, body)

/** An organization with a person. */
async function makeAna() {
  const tenant = await api.makeTenant()
  return { tenant, ...(await makePerson(api, tenant)) }
}

const row = (url: string) =>
  api.database.prisma.signInLink.findUniqueOrThrow({
    where: { id: url.split('/').at(-1)!.split('.')[0]! },
  })

describe('POST /users/{id}/sign-in-links', () => {
  test('201 returns a URL of the panel that expires after 60 seconds', async () => {
    const { id } = await makeAna()
    const { status, body } = await create(id, {})
    expect(status).toBe(201)
    expect(body).toEqual({
      url: expect.stringMatching(
        /^https:\/\/panel\.test\/sign-in\/link\/[0-9a-f-]{36}\.[\w-]{43}$/,
      ),
      expires_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    })
    const { createdAt, expiresAt } = await row(body.url)
    expect(expiresAt.toISOString()).toBe(body.expires_at)
    expect(expiresAt.getTime() - createdAt.getTime()).toBe(60_000)
  })

  test('the body, return_to and confirmed are optional', async () => {
    const { id } = await makeAna()
    const { body } = await create(id)
    expect(await row(body.url)).toMatchObject({ returnTo: '/', isConfirmed: false })
    const other = await create(id, { return_to: '/keys?status=active', confirmed: true })
    expect(await row(other.body.url)).toMatchObject({
      returnTo: '/keys?status=active',
      isConfirmed: true,
    })
  })

  test('only a hash of the token is stored', async () => {
    const { id } = await makeAna()
    const { body } = await create(id, {})
    const secret = (body.url as string).split('.').at(-1)!
    const { rows } = await api.database.pool.query<{ text: string }>(
      'SELECT l::text AS text FROM sign_in_links l WHERE user_id = $1',
      [id],
    )
    expect(rows).toHaveLength(1)
    for (const form of [secret, Buffer.from(secret).toString('hex')]) {
      expect(rows[0]!.text).not.toContain(form)
    }
    expect(rows[0]!.text).not.toContain(Buffer.from(secret, 'base64url').toString('hex'))
  })

  test.each([
    'https://evil.example/',
    '//evil.example',
    'keys',
    '',
    ' /keys',
    '/keys ',
    '/\\evil.example',
    '/a\\b',
    '/a\tb',
    '/a\nb',
    '/a\u0000b',
  ])('422 for the return path %j', async (return_to) => {
    const { id } = await makeAna()
    expect(refusalOf(await create(id, { return_to }))).toEqual(invalid('/return_to'))
  })

  test.each([
    ['an unknown member', { next: '/' }, '/next'],
    ['a return path that is not text', { return_to: 7 }, '/return_to'],
    ['a return path that is too long', { return_to: `/${'a'.repeat(2_048)}` }, '/return_to'],
    ['a confirmation that is not a boolean', { confirmed: 'yes' }, '/confirmed'],
  ])('422 for %s', async (_what, body, pointer) => {
    const { id } = await makeAna()
    expect(refusalOf(await create(id, body))).toEqual(invalid(pointer))
  })

  test('404 for unknown, deleted and service users, and users of a deleted organization', async () => {
    const { tenant, id: deleted } = await makeAna()
    await api.callInternal('delete', `/users/${deleted}`)
    const service = randomUUID()
    await api.database.prisma.user.create({
      data: { id: service, tenantId: tenant.id, kind: 'service', name: 'Deploy', roles: ['admin'] },
    })
    const gone = await makeAna()
    await api.callInternal('delete', `/tenants/${gone.tenant.id}`)
    for (const id of [randomUUID(), 'ana', deleted, service, gone.id]) {
      expect(refusalOf(await create(id, {}))).toEqual(notFound)
    }
  })

  test('409 conflict for a deactivated person, and no link is created', async () => {
    const { tenant, id, email } = await makeAna()
    const person = { tenant_id: tenant.id, email, name: 'Ana', roles: ['admin'], accounts: [] }
    await api.callInternal('put', `/users/${id}`, { ...person, status: 'deactivated' })
    expect(refusalOf(await create(id, {}))).toEqual({ status: 409, code: 'conflict' })
    expect(await api.database.prisma.signInLink.count({ where: { userId: id } })).toBe(0)
  })

  test('the audit log names the requesting service if its token has a name', async () => {
    const { tenant, id } = await makeAna()
    await create(id, {})
    await create(id, { confirmed: true }, named)
    const rows = await auditEntriesOf(api, tenant.id)
    expect(rows).toEqual(
      [
        { service: null, confirmed: false },
        { service: 'control-panel', confirmed: true },
      ].map((details) =>
        expect.objectContaining({
          action: 'sign_in_link.create',
          outcome: 'success',
          actorType: 'system',
          targetId: id,
          details,
        }),
      ),
    )
  })
})
