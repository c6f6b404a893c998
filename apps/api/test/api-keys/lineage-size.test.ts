import { beforeAll, describe, expect, test } from '@jest/globals'
import { useApi, type TestKey, type TestTenant } from '../../../../test/support/api.ts'
import {
  addSecret,
  countUnrevoked,
  insertChain,
  insertChildren,
} from '../../../../test/support/key-trees.ts'
import { makeSession } from '../../../../test/support/session.ts'
import { visitorOf } from '../../../../test/panel/visitor.ts'
import { finishRevocation, makeKeyWith, statusWith, type MadeKey } from '../support/keys.ts'
import { until } from '../support/until.ts'

const api = useApi()
const other = useApi()

interface Tree {
  readonly tenant: TestTenant
  readonly owner: TestKey
  readonly stolen: MadeKey
  /** The token of the only key of the tree that works, which is below all others. */
  readonly leaf: string
}

/** A key with 5,000 revoked children, and a chain of 5,000 revoked keys with one at its end that works. */
async function makeTree(prefix: string, roles?: ['customer']): Promise<Tree> {
  const { database } = api
  const tenant = await api.makeTenant()
  const owner = await tenant.makeKey(roles && { roles })
  const stolen = await makeKeyWith(api, owner.token)
  const below = { keyId: stolen.id, prefix: `${prefix}a` }
  await insertChildren(database, below, { count: 5_000, revoked: true })
  const chain = { ...below, prefix: `${prefix}b` }
  const last = await insertChain(database, chain, { length: 5_000, revoked: true })
  const end = { keyId: last, prefix: `${prefix}c` }
  const leaf = await insertChain(database, end, { length: 1, revoked: false })
  await database.pool.query('ANALYZE api_keys, key_lineage')
  return { tenant, owner, stolen, leaf: await addSecret(database, leaf) }
}

describe('a key with 5,000 children and 5,000 generations below it', () => {
  let tree: Tree
  beforeAll(async () => {
    tree = await makeTree('one', ['customer'])
  })

  test.each([[''], ['/revoke']])(
    'has pages of which 40 concurrent views return the page or 429, and do not affect another organization: /keys/{id}%s',
    async (page) => {
      const visitor = visitorOf(api, await makeSession(api, tree.owner.userId))
      const { token } = await (await api.makeTenant()).makeKey()
      const path = `/keys/${tree.stolen.id}${page}`
      const views = Promise.all(Array.from({ length: 40 }, () => visitor.get(path)))
      const others: number[] = []
      for (let request = 0; request < 20; request++) {
        others.push((await api.call('get', '/webhooks', { token })).status)
      }
      const statuses = (await views).map(({ status }) => status)
      expect(new Set(others)).toEqual(new Set([200]))
      expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
      expect(statuses).toContain(200)
      const { text } = await visitor.get(path)
      expect(text).toContain('Child 1')
      expect(text).toContain('There are more than these.')
    },
  )

  // After the views: nothing is left of a revoked tree.
  test.each([['id'], ['token']])('is revoked with its descendants, by %s', async (how) => {
    const { owner, stolen, leaf } = how === 'id' ? tree : await makeTree('two')
    expect(await statusWith(api, leaf)).toBe(200)
    const { status } =
      how === 'id'
        ? await api.call('delete', `/api-keys/${stolen.id}?descendants=true`, {
            token: owner.token,
          })
        : await api.call('post', '/auth/revoke', {
            body: { token: stolen.token, descendants: true },
          })
    expect(status).toBe(204)
    for (const each of [other, api]) expect(await statusWith(each, stolen.token)).toBe(401)
    await finishRevocation(api, stolen.id)
    for (const each of [other, api]) {
      await until('the leaf is refused', async () => (await statusWith(each, leaf)) === 401)
    }
    expect(await countUnrevoked(api.database, stolen.id)).toBe(0)
  })
})
