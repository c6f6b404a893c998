import { restoreKeyChanges, type ChangedKey } from '@hosting/postgres/api-keys'
import { expect, test } from '@jest/globals'
import { database, makeKey, makeOwner, raise, versionOf } from '../support/key-owners.ts'

const restore = (known: readonly ChangedKey[]) => restoreKeyChanges(database, known)

const findKey = (id: string) => database.prisma.apiKey.findUniqueOrThrow({ where: { id } })

const entriesOf = (id: string) =>
  database.prisma.auditEvent.findMany({
    where: { targetId: id, action: { in: ['api_key.revoke', 'api_key.set_back'] } },
    select: { action: true, actorType: true, details: true },
  })

const entry = (action: string) => ({
  action,
  actorType: 'system',
  details: { name: 'a key', cause: 'failover' },
})

test('a key whose revocation was lost is revoked again, and gets a version above the lost one', async () => {
  const id = await makeKey(await makeOwner())
  const lost = (await versionOf(id)) + 3
  const { keys, changed } = await restore([{ keyId: id, version: lost, revoked: true }])
  expect(keys).toEqual([{ keyId: id, revokedAgain: true }])
  expect(changed).toEqual([{ keyId: id, version: lost + 1, revoked: true }])
  expect((await findKey(id)).revokedAt).not.toBeNull()
  expect(await entriesOf(id)).toEqual([entry('api_key.revoke')])
})

test('a key whose last changes were lost is listed in the audit log, and stays valid', async () => {
  const id = await makeKey(await makeOwner())
  const lost = (await versionOf(id)) + 1
  const { keys, changed } = await restore([{ keyId: id, version: lost }])
  expect(keys).toEqual([{ keyId: id, revokedAgain: false }])
  expect(changed).toEqual([{ keyId: id, version: lost + 1, revoked: false }])
  expect((await findKey(id)).revokedAt).toBeNull()
  expect(await entriesOf(id)).toEqual([entry('api_key.set_back')])
})

test('keys that the database knows as well or better are left alone, and so are unknown keys', async () => {
  const owner = await makeOwner()
  const [same, newer] = [await makeKey(owner), await makeKey(owner)]
  await raise({ keyId: newer })
  const before = await Promise.all([same, newer].map(versionOf))
  const known = [
    { keyId: same, version: before[0]!, revoked: true },
    { keyId: newer, version: before[1]! - 1, revoked: true },
    { keyId: 'aaaaaaaaaaaa', version: 9, revoked: true },
  ]
  expect(await restore(known)).toEqual({ keys: [], changed: [] })
  expect(await Promise.all([same, newer].map(versionOf))).toEqual(before)
  expect((await findKey(same)).revokedAt).toBeNull()
})

test('of several workers that find the same keys at once, one restores them', async () => {
  const owner = await makeOwner()
  const ids = await Promise.all(Array.from({ length: 20 }, () => makeKey(owner)))
  const known = ids.map((keyId) => ({ keyId, version: 7, revoked: true }))
  const found = await Promise.all([restore(known), restore(known.toReversed()), restore(known)])
  expect(found.flatMap(({ keys }) => keys)).toHaveLength(ids.length)
  for (const id of ids) expect(await entriesOf(id)).toEqual([entry('api_key.revoke')])
})
