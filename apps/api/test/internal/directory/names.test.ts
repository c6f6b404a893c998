import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../../test/support/api.ts'
import { invalid, refusalOf } from '../../support/refusals.ts'

const api = useApi()

/** Texts that would add lines to a mail, or hide or reorder what people read. */
const hidden = [
  'Acme\r\nYour account was closed',
  'Acme\n',
  '\rAcme',
  'Ac\tme',
  'Acme\u001B[2J',
  'Acme\u0085x',
  'Acme\u2028x',
  'Acme\u202Emoc',
  'Acme\u2066x\u2069',
  'Ac\u200Bme',
  '\uFEFFAcme',
  ' ',
  '\u2800',
]

const emails = [
  'ana@example.test\r\nBcc: eve@example.test',
  'ana@example.test\n',
  'a\u0001na@example.test',
  'ana\u202E@example.test',
  'ana\u200B@example.test',
  'ana>@example.test',
  'ana,eve@example.test',
]

describe('the directory refuses names and addresses that hide or reorder text', () => {
  test('of organizations, accounts and users, one by one: 422, and nothing changes', async () => {
    const tenant = await api.makeTenant()
    const account = await tenant.makeAccount()
    const user = randomUUID()
    const userFields = {
      tenant_id: tenant.id,
      email: `${user}@example.test`,
      name: 'Ana',
      status: 'active',
      roles: [],
      accounts: [],
    }
    await put(`/users/${user}`, userFields)
    const before = await stateOf(tenant.id)
    for (const text of hidden) {
      const organization = { slug: `s-${randomUUID()}`, name: 'Acme' }
      const path = `/tenants/${tenant.id}`
      expect(refusalOf(await put(path, { ...organization, name: text }))).toEqual(invalid('/name'))
      expect(refusalOf(await put(path, { ...organization, edition: text }))).toEqual(
        invalid('/edition'),
      )
      expect(
        refusalOf(await put(`/accounts/${account}`, { tenant_id: tenant.id, name: text })),
      ).toEqual(invalid('/name'))
      expect(refusalOf(await put(`/users/${user}`, { ...userFields, name: text }))).toEqual(
        invalid('/name'),
      )
    }
    for (const email of emails) {
      expect(refusalOf(await put(`/users/${user}`, { ...userFields, email }))).toEqual(
        invalid('/email'),
      )
    }
    expect(await stateOf(tenant.id)).toEqual(before)
  })

  test('in a batch: 422 for the record, and the others are applied', async () => {
    const names = ['Acme\r\nx', 'Łódź 開発', '\u202EAcme']
    const tenants = names.map((name) => {
      const id = randomUUID()
      return { id, slug: `s-${id}`, name }
    })
    const { status, body } = await put('/directory', { tenants })
    expect(status).toBe(200)
    expect(body.items.map((item: { status: number }) => item.status)).toEqual([422, 201, 422])
  })
})

const put = (path: string, body: unknown) =>
  api.callInternal('put', path, body, { 'content-type': 'application/json' })

const stateOf = async (tenantId: string) => ({
  tenant: await api.database.prisma.tenant.findUnique({ where: { id: tenantId } }),
  accounts: await api.database.prisma.account.findMany({ where: { tenantId } }),
  users: await api.database.prisma.user.findMany({ where: { tenantId } }),
})
