import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { invalid, notFound, refusalOf } from '../support/refusals.ts'
import { useRotations } from '../support/rotations.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi()

const conflict = { status: 409, code: 'conflict' }
const { subscribe, send, rotate, show, nextSecretsOf, endsOf } = useRotations(api)

describe('POST /webhooks/{id}/rotate-secret: errors', () => {
  test.each<[body: unknown, ...pointers: string[]]>([
    [{ grace_seconds: 86_401 }, '/grace_seconds'],
    [{ grace_seconds: -1 }, '/grace_seconds'],
    [{ grace_seconds: 1.5 }, '/grace_seconds'],
    [{ grace_seconds: '60' }, '/grace_seconds'],
    [{ grace_seconds: null }, '/grace_seconds'],
    [{ grace_seconds: true }, '/grace_seconds'],
    [{ graceSeconds: 60 }, '/graceSeconds'],
    [{ secret: 'whsec_mine', grace_seconds: 60 }, '/secret'],
    [{ secret: 'whsec_mine', grace_seconds: -1 }, '/secret', '/grace_seconds'],
    [[], ''],
    ['null', ''],
    ['60', ''],
  ])('422 validation_failed for %j names %s', async (body, ...pointers) => {
    const { tenant, token, webhook, id } = await subscribe()
    const response = await send(token, id, body, { 'content-type': 'application/json' })
    expect(refusalOf(response)).toEqual(invalid(...pointers))
    expect(await show(token, id)).toEqual(webhook)
    expect(await endsOf(id)).toEqual([Infinity])
    expect(await auditOf(api, tenant.id)).toHaveLength(1)
  })

  test("404 is the same for a missing endpoint, a deleted one, another organization's and an invalid id", async () => {
    const { tenant, token, id: deletedId } = await subscribe()
    await api.call('delete', `/webhooks/${deletedId}`, { token })
    const foreign = await subscribe()
    for (const id of [randomUUID(), deletedId, foreign.id, 'nonsense']) {
      expect(refusalOf(await send(token, id, { grace_seconds: 60 }))).toEqual(notFound)
    }
    expect(await nextSecretsOf(foreign.tenant)).toEqual([foreign.secret])
    expect(await auditOf(api, tenant.id)).toHaveLength(2)
    expect(await auditOf(api, foreign.tenant.id)).toHaveLength(1)
  })
})

describe('POST /webhooks/{id}/rotate-secret: concurrent requests', () => {
  test('after two concurrent rotations without an overlap period exactly one secret signs', async () => {
    const { tenant, token, id } = await subscribe()
    const secrets = await Promise.all([rotate(token, id), rotate(token, id)])
    const signing = await nextSecretsOf(tenant)
    expect(signing).toHaveLength(1)
    expect(secrets).toContain(signing[0])
  })

  test('nine of twelve concurrent rotations with an overlap period succeed, and all their secrets sign', async () => {
    const { tenant, token, id, secret } = await subscribe()
    const responses = await Promise.all(
      Array.from({ length: 12 }, () => send(token, id, { grace_seconds: 60 })),
    )
    const made = responses.filter(({ status }) => status === 200)
    const refused = responses.filter(({ status }) => status !== 200)
    expect(made).toHaveLength(9)
    expect(refused.map(refusalOf)).toEqual([conflict, conflict, conflict])
    const signing = await nextSecretsOf(tenant)
    const expected = [secret, ...made.map(({ body }) => body.secret as string)]
    expect(signing.toSorted()).toEqual(expected.toSorted())
    expect(signing.at(-1)).toBe(secret)
  })
})
