import { advanceRecoveries } from '@hosting/postgres/webhooks'
import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { lastFailure, makeAttempts } from '../support/attempts.ts'
import { buildEvent, leastData } from '../support/events.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { auditOf, url } from '../support/webhooks.ts'

const api = useApi()

async function asAdmin() {
  const { tenant, token } = await api.makeAdmin()
  const create = (accounts?: unknown) =>
    api.call('post', '/webhooks', { token, body: { url, events: ['*'], accounts } })
  const update = (id: string, accounts: unknown) =>
    api.call('patch', `/webhooks/${id}`, { token, body: { accounts } })
  const publish = async (account_id: string | undefined, type = 'alert.firing') => {
    const data = { ...leastData[type], account_id }
    const event = { ...buildEvent(tenant.id, { type }), data }
    const { body } = await api.callInternal('post', '/events', event)
    return body.items[0] as { id: string; deliveries: number }
  }
  const deliveriesOf = async (id: string) => {
    const { body } = await api.call('get', `/webhooks/${id}/deliveries`, { token })
    return body.items as { id: string; event: { id: string } }[]
  }
  const eventsOf = async (id: string) => (await deliveriesOf(id)).map(({ event }) => event.id)
  return { tenant, token, create, update, publish, deliveriesOf, eventsOf }
}

describe('the accounts of an endpoint', () => {
  test('are null, or the given ones in lower case; they can be changed and removed, and are audited', async () => {
    const { tenant, create, update } = await asAdmin()
    const [first, second] = [await tenant.makeAccount(), await tenant.makeAccount()]
    expect((await create()).body.webhook.accounts).toBeNull()
    const { webhook } = (await create([first.toUpperCase(), second])).body
    expect(webhook.accounts).toEqual([first, second])
    expect((await update(webhook.id, [second])).body.webhook.accounts).toEqual([second])
    expect((await update(webhook.id, undefined)).body.webhook.accounts).toEqual([second])
    expect((await update(webhook.id, null)).body.webhook.accounts).toBeNull()
    const audited = (await auditOf(api, tenant.id)).filter(
      ({ action }) => action === 'webhook.update',
    )
    expect(audited.map(({ details }) => details)).toEqual([
      expect.objectContaining({
        before: { accounts: [first, second] },
        after: { accounts: [second] },
      }),
      expect.objectContaining({ before: {}, after: {} }),
      expect.objectContaining({ before: { accounts: [second] }, after: { accounts: null } }),
    ])
  })

  test('422 for none, more than 100, repeated, unknown and other organizations’ accounts, and nothing changes', async () => {
    const { tenant, token, create, update } = await asAdmin()
    const mine = await tenant.makeAccount()
    const theirs = await (await asAdmin()).tenant.makeAccount()
    const { webhook } = (await create([mine])).body
    for (const [accounts, pointer] of [
      [[], '/accounts'],
      [Array.from({ length: 101 }, () => randomUUID()), '/accounts'],
      [[mine, mine.toUpperCase()], '/accounts/1'],
      [[mine, randomUUID()], '/accounts/1'],
      [[theirs], '/accounts/0'],
      [['account-1'], '/accounts/0'],
      ['all', '/accounts'],
    ] as const) {
      expect(refusalOf(await create(accounts))).toEqual(invalid(pointer))
      expect(refusalOf(await update(webhook.id, accounts))).toEqual(invalid(pointer))
    }
    const { body } = await api.call('get', '/webhooks', { token })
    expect(body.items).toEqual([webhook])
  })

  test('only later events of these accounts are delivered, and none without an account', async () => {
    const { tenant, create, update, publish, eventsOf } = await asAdmin()
    const [chosen, other] = [await tenant.makeAccount(), await tenant.makeAccount()]
    const all = (await create()).body.webhook.id as string
    const some = (await create([chosen])).body.webhook.id as string
    const wanted = await publish(chosen)
    const inCapitals = await publish(chosen.toUpperCase())
    const unwanted = [await publish(other), await publish(undefined), await publish('account-1')]
    const ofServer = await publish(undefined, 'server.enrolled')
    expect(wanted.deliveries).toBe(2)
    expect(unwanted.map(({ deliveries }) => deliveries)).toEqual([1, 1, 1])
    expect(await eventsOf(some)).toEqual([inCapitals.id, wanted.id])
    expect(await eventsOf(all)).toHaveLength(6)
    await update(some, null)
    const later = await publish(undefined)
    expect(await eventsOf(some)).toEqual([later.id, inCapitals.id, wanted.id])
    expect(ofServer.deliveries).toBe(1)
  })

  test('an event of a batch is delivered by its own account', async () => {
    const { tenant, create, eventsOf } = await asAdmin()
    const accounts = [await tenant.makeAccount(), await tenant.makeAccount()]
    const ids: string[] = []
    for (const account of accounts) ids.push((await create([account])).body.webhook.id)
    const events = accounts.map((account_id) => ({
      ...buildEvent(tenant.id, { type: 'alert.firing', id: randomUUID() }),
      data: { ...leastData['alert.firing'], account_id },
    }))
    await api.callInternal('post', '/events', { events })
    for (const [index, id] of ids.entries()) expect(await eventsOf(id)).toEqual([events[index]!.id])
  })

  test('a recovery and a backfill send only events of these accounts', async () => {
    const { tenant, token, create, update, publish, deliveriesOf } = await asAdmin()
    const [chosen, other] = [await tenant.makeAccount(), await tenant.makeAccount()]
    const missed = await publish(chosen)
    await publish(other)
    await publish(undefined)
    const { id } = (await create()).body.webhook
    const failed = await publish(chosen)
    await publish(other)
    await publish(undefined)
    for (const delivery of await deliveriesOf(id)) {
      await makeAttempts(api, delivery.id, [lastFailure])
    }
    const before = new Set((await deliveriesOf(id)).map((delivery) => delivery.id))
    await update(id, [chosen])
    const body = { since: new Date(Date.now() - 60_000).toISOString(), backfill: true }
    const { recovery } = (await api.call('post', `/webhooks/${id}/recover`, { token, body })).body
    expect(recovery.total).toBe(2)
    const pace = { stepMax: 10, stepMs: 0, recoveriesMax: 9 }
    await advanceRecoveries(api.database, pace)
    await advanceRecoveries(api.database, pace)
    const sent = (await deliveriesOf(id)).filter((delivery) => !before.has(delivery.id))
    expect(sent.map(({ event }) => event.id).toSorted()).toEqual([missed.id, failed.id].toSorted())
  })

  test('of an account that is deleted, the id stays, and cannot be given again', async () => {
    const { tenant, token, create, update } = await asAdmin()
    const account = await tenant.makeAccount()
    const { id } = (await create([account])).body.webhook
    await api.callInternal('delete', `/accounts/${account}`)
    const { webhook } = (await api.call('get', `/webhooks/${id}`, { token })).body
    expect(webhook.accounts).toEqual([account])
    expect(refusalOf(await update(id, [account]))).toEqual(invalid('/accounts/0'))
  })
})
