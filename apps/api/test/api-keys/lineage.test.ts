import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { callWith, makeSignedIn } from '../../../../test/support/session.ts'
import { freshAddress } from '../support/addresses.ts'
import { behindProxy } from '../support/device.ts'
import {
  finishRevocation,
  makeKeyWith,
  showKey,
  statusWith,
  type KeyFields,
  type MadeKey,
} from '../support/keys.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { until } from '../support/until.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi(behindProxy)
const other = useApi(behindProxy)

const revoke = (token: string, id: string, descendants?: string, each = api) =>
  each.call('delete', `/api-keys/${id}${descendants ? `?descendants=${descendants}` : ''}`, {
    token,
  })

const revokeByToken = (body: object, each = api) =>
  each.call('post', '/auth/revoke', { body, headers: { 'x-forwarded-for': freshAddress() } })

const untilRefused = (each: typeof api, token: string): Promise<boolean> =>
  until('the key is refused', async () => (await statusWith(each, token)) === 401)

/** A key with a child, which has two children, one of which has a child; and a key of the same user beside them. */
async function makeTree(fields: KeyFields = {}) {
  const { tenant, admin: owner } = await api.makeAdmin()
  const make = (token: string) => makeKeyWith(api, token, fields)
  const root = await make(owner.token)
  const child = await make(root.token)
  const [left, right] = [await make(child.token), await make(child.token)]
  const leaf = await make(right.token)
  const beside = await make(owner.token)
  return { tenant, owner, root, child, left, right, leaf, beside }
}

const statusesOf = (keys: readonly MadeKey[], each = api) =>
  Promise.all(keys.map(({ token }) => statusWith(each, token)))

describe('parent_key_id', () => {
  test('is the key that created the key, or null for a key created in a session', async () => {
    const { tenant, owner, root, child, leaf, right } = await makeTree()
    expect(root.key.parent_key_id).toBe(owner.id)
    expect(child.key.parent_key_id).toBe(root.id)
    expect((await showKey(api, owner.token, leaf.id)).parent_key_id).toBe(right.id)
    const person = await makeSignedIn(api, tenant)
    const body = { name: 'Deploy', scopes: ['*'] }
    const created = await callWith(api, person)('post', '/api-keys', { body })
    expect(created.body.key.parent_key_id).toBeNull()
  })
})

describe('DELETE /api-keys/{id} with descendants', () => {
  test.each([{}, { kind: 'organization' as const }])(
    'revokes every key that was created with it, from the next request on every process: %j',
    async (fields) => {
      const { owner, root, child, left, right, leaf, beside } = await makeTree(fields)
      const tree = [child, left, right, leaf]
      for (const each of [api, other])
        expect(await statusesOf(tree, each)).toEqual(Array(4).fill(200))
      expect((await revoke(owner.token, child.id, 'true')).status).toBe(204)
      for (const each of [other, api]) {
        expect(await statusesOf(tree, each)).toEqual(Array(4).fill(401))
        expect(await statusesOf([root, beside], each)).toEqual([200, 200])
      }
      const shown = await Promise.all(tree.map(({ id }) => showKey(api, owner.token, id)))
      expect(shown.map(({ status }) => status)).toEqual(Array(4).fill('revoked'))
    },
  )

  test.each([undefined, 'false'])(
    'with descendants=%s only the key itself is revoked',
    async (descendants) => {
      const { owner, child, left, right, leaf } = await makeTree()
      expect((await revoke(owner.token, child.id, descendants)).status).toBe(204)
      expect(await statusesOf([child, left, right, leaf])).toEqual([401, 200, 200, 200])
      expect((await revoke(owner.token, child.id, 'true')).status).toBe(204)
      expect(await statusesOf([left, right, leaf])).toEqual([401, 401, 401])
    },
  )

  test('finds descendants behind revoked and disabled keys', async () => {
    const { owner, root, child, left, right, leaf } = await makeTree()
    await revoke(owner.token, right.id)
    await api.call('patch', `/api-keys/${child.id}`, {
      token: owner.token,
      body: { enabled: false },
    })
    expect((await revoke(owner.token, root.id, 'true')).status).toBe(204)
    expect(await statusesOf([root, child, left, right, leaf])).toEqual(Array(5).fill(401))
    expect((await showKey(api, owner.token, child.id)).status).toBe('revoked')
  })

  test('each revoked key is audited once, with the key whose revocation included it', async () => {
    const { tenant, owner, child, left, right, leaf } = await makeTree()
    await revoke(owner.token, leaf.id)
    for (let times = 0; times < 2; times++) await revoke(owner.token, child.id, 'true')
    const rows = (await auditOf(api, tenant.id)).filter(({ action }) => action === 'api_key.revoke')
    expect(rows.map(({ targetId, details }) => [targetId, details])).toEqual([
      [leaf.id, {}],
      [child.id, {}],
      [left.id, { revoked_with: child.id }],
      [right.id, { revoked_with: child.id }],
    ])
    for (const row of rows)
      expect(row).toMatchObject({ actorId: owner.userId, actorKeyId: owner.id })
  })

  test('a chain of 60 keys is revoked in one request', async () => {
    const owner = await (await api.makeTenant()).makeKey()
    const chain = [await makeKeyWith(api, owner.token)]
    while (chain.length < 60) chain.push(await makeKeyWith(api, chain.at(-1)!.token))
    expect((await revoke(owner.token, chain[0]!.id, 'true')).status).toBe(204)
    expect(new Set(await statusesOf(chain))).toEqual(new Set([401]))
  })

  test('whoever may revoke the key may also revoke descendants that they may not revoke directly', async () => {
    const { tenant, owner, child } = await makeTree()
    const organization = await makeKeyWith(api, child.token, { kind: 'organization' })
    const { userId } = owner
    const body = { tenant_id: tenant.id, email: `${userId}@example.test`, name: 'Ana' }
    const role = { status: 'active', roles: ['support'], accounts: [] }
    await api.callInternal('put', `/users/${userId}`, { ...body, ...role })
    expect((await revoke(owner.token, organization.id)).status).toBe(403)
    expect((await revoke(owner.token, child.id, 'true')).status).toBe(204)
    expect(await statusesOf([organization])).toEqual([401])
  })

  test.each(['yes', '1', 'TRUE', ''])('422 for descendants=%s', async (descendants) => {
    const { id, token } = await (await api.makeTenant()).makeKey()
    const response = await api.call('delete', `/api-keys/${id}?descendants=${descendants}`, {
      token,
    })
    expect(refusalOf(response)).toEqual(invalid('/descendants'))
    expect(await statusWith(api, token)).toBe(200)
  })
})

describe('POST /auth/revoke with descendants', () => {
  test('revokes the keys that were created with it, and audits each by its token', async () => {
    const { tenant, owner, child, left, right, leaf, root } = await makeTree()
    expect((await revokeByToken({ token: child.token })).status).toBe(204)
    expect(await statusesOf([child, left, right, leaf])).toEqual([401, 200, 200, 200])
    expect((await revokeByToken({ token: child.token, descendants: true })).status).toBe(204)
    for (const each of [other, api]) {
      expect(await statusesOf([left, right, leaf], each)).toEqual([401, 401, 401])
    }
    expect(await statusesOf([owner, root] as MadeKey[])).toEqual([200, 200])
    const rows = (await auditOf(api, tenant.id)).filter(({ action }) => action === 'api_key.revoke')
    expect(rows.map(({ targetId, actorType, details }) => [targetId, actorType, details])).toEqual([
      [child.id, 'anonymous', { by_token: true }],
      ...[left, right, leaf].map(({ id }) => [
        id,
        'anonymous',
        { by_token: true, revoked_with: child.id },
      ]),
    ])
  })
})

describe('a key created while its ancestor is revoked with descendants', () => {
  test.each<[kind: 'personal' | 'organization', how: string]>([
    ['personal', 'id'],
    ['organization', 'id'],
    ['organization', 'token'],
  ])('is revoked or refused: %s keys, by %s', async (kind, how) => {
    for (let round = 0; round < 5; round++) {
      const { owner, root, child, left, leaf } = await makeTree({ kind })
      const creations = [child, left, leaf, child, left, leaf, leaf, leaf].map(
        async ({ token }, index) => {
          const at = index % 2 ? api : other
          const body = { name: 'spare', scopes: ['*'], kind }
          const response = await at.call('post', '/api-keys', { token, body })
          if (response.status !== 201) return response.status
          const made = response.body.token as string
          const next = await at.call('post', '/api-keys', { token: made, body })
          return [made, ...(next.status === 201 ? [next.body.token as string] : [])]
        },
      )
      const revocation =
        how === 'id'
          ? revoke(owner.token, root.id, 'true')
          : revokeByToken({ token: root.token, descendants: true }, other)
      const results = await Promise.all(creations)
      expect((await revocation).status).toBe(204)
      expect(results.filter((result) => typeof result === 'number' && result !== 401)).toEqual([])
      await finishRevocation(api, root.id)
      const tokens = results.flatMap((result) => (typeof result === 'number' ? [] : result))
      for (const token of tokens) {
        for (const each of [api, other]) await untilRefused(each, token)
      }
    }
  })
})
