import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { callWith, makeSession } from '../../../../test/support/session.ts'
import { freshAddress } from '../support/addresses.ts'
import { behindProxy } from '../support/device.ts'
import { makeKeyWith, rotate, showKey, statusWith } from '../support/keys.ts'
import { refusalOf } from '../support/refusals.ts'
import { auditOf } from '../support/webhooks.ts'

const api = useApi(behindProxy)
const other = useApi(behindProxy)
const graceSeconds = 86_400

const revoke = (token: string, id: string) =>
  api.call('delete', `/api-keys/${id}?descendants=true`, { token })

/** A person with a key, another key that was stolen, and a third one, which the thief rotates. */
async function makeTheft() {
  const { tenant, admin: owner } = await api.makeAdmin()
  const call = callWith(api, await makeSession(api, owner.userId))
  const make = async (name: string) => {
    const { body } = await call('post', '/api-keys', { body: { name, scopes: ['*'] } })
    return { id: body.key.id as string, token: body.token as string }
  }
  const [stolen, sibling] = [await make('Stolen'), await make('Sibling')]
  return { tenant, owner, call, stolen, sibling }
}

async function expectStatuses(tokens: readonly string[], status: number): Promise<void> {
  for (const each of [api, other]) {
    expect(await Promise.all(tokens.map((token) => statusWith(each, token)))).toEqual(
      tokens.map(() => status),
    )
  }
}

describe('a secret that a key created by rotating another key', () => {
  test.each([['id'], ['token']])(
    "ends if the first key is revoked with its descendants, by %s; the other key's own secrets remain",
    async (how) => {
      const { owner, stolen, sibling } = await makeTheft()
      const kept = await makeKeyWith(api, sibling.token)
      const derived = await rotate(api, stolen.token, sibling.id, graceSeconds)
      await expectStatuses([derived, sibling.token, kept.token], 200)
      const response =
        how === 'id'
          ? await revoke(owner.token, stolen.id)
          : await other.call('post', '/auth/revoke', {
              body: { token: stolen.token, descendants: true },
              headers: { 'x-forwarded-for': freshAddress() },
            })
      expect(response.status).toBe(204)
      await expectStatuses([derived, stolen.token], 401)
      await expectStatuses([sibling.token, kept.token], 200)
      expect((await showKey(api, owner.token, sibling.id)).status).toBe('active')
      const again = await rotate(api, owner.token, sibling.id)
      await expectStatuses([again], 200)
    },
  )

  test('also ends the keys and secrets that were created with it', async () => {
    const { owner, stolen, sibling, call } = await makeTheft()
    const bystander = await makeKeyWith(api, owner.token)
    const derived = await rotate(api, stolen.token, sibling.id, graceSeconds)
    const child = await makeKeyWith(api, derived)
    const grandchild = await makeKeyWith(api, child.token)
    const ofItself = await rotate(api, derived, sibling.id, graceSeconds)
    const ofBystander = await rotate(api, ofItself, bystander.id, graceSeconds)
    const last = await makeKeyWith(api, ofBystander)
    const made = [derived, child.token, grandchild.token, ofItself, ofBystander, last.token]
    const own = [sibling.token, bystander.token]
    await expectStatuses([...made, ...own], 200)
    expect(last.key.parent_key_id).toBe(bystander.id)
    expect((await revoke(owner.token, stolen.id)).status).toBe(204)
    await expectStatuses(made, 401)
    await expectStatuses(own, 200)
    const { body } = await call('get', '/api-keys?status=active')
    const active = (body.items as { id: string }[]).map(({ id }) => id)
    expect(new Set(active)).toEqual(new Set([owner.id, sibling.id, bystander.id]))
  })

  test('ends if the first key, limited to an account, first limited the other key to that account', async () => {
    const { tenant, owner, sibling, call } = await makeTheft()
    const account = await tenant.makeAccount()
    const limited = { name: 'Limited', scopes: ['*'], accounts: [account] }
    const { body } = await call('post', '/api-keys', { body: limited })
    const { token } = body as { token: string }
    const path = `/api-keys/${sibling.id}`
    const wider = await api.call('post', `${path}/rotate`, { token, body: {} })
    expect(refusalOf(wider)).toEqual({ status: 403, code: 'api_key_wider_than_caller' })
    const narrowed = await api.call('patch', path, { token, body: { accounts: [account] } })
    expect(narrowed.status).toBe(200)
    const derived = await rotate(api, token, sibling.id, graceSeconds)
    const child = await makeKeyWith(api, derived, { accounts: [account] })
    expect((await revoke(owner.token, body.key.id as string)).status).toBe(204)
    await expectStatuses([derived, child.token], 401)
    await expectStatuses([sibling.token], 200)
  })

  test('remains if only the first key is revoked, and ends if its descendants are revoked later', async () => {
    const { owner, stolen, sibling } = await makeTheft()
    const derived = await rotate(api, stolen.token, sibling.id, graceSeconds)
    await api.call('delete', `/api-keys/${stolen.id}`, { token: owner.token })
    await expectStatuses([derived], 200)
    await revoke(owner.token, stolen.id)
    await expectStatuses([derived], 401)
  })

  test('ends even if a session rotates the key again, but the secret that the session creates remains', async () => {
    const { owner, stolen, sibling, call } = await makeTheft()
    const derived = await rotate(api, stolen.token, sibling.id, graceSeconds)
    const path = `/api-keys/${sibling.id}/rotate`
    const { body } = await call('post', path, { body: { grace_seconds: graceSeconds } })
    await revoke(owner.token, stolen.id)
    await expectStatuses([derived], 401)
    await expectStatuses([body.token as string, sibling.token], 200)
  })

  test('is audited once, with the key whose revocation ended it', async () => {
    const { tenant, owner, stolen, sibling } = await makeTheft()
    await rotate(api, stolen.token, sibling.id, graceSeconds)
    await rotate(api, stolen.token, sibling.id, graceSeconds)
    for (let times = 0; times < 2; times++) await revoke(owner.token, stolen.id)
    const rows = (await auditOf(api, tenant.id)).filter(({ action }) => /revoke/.test(action))
    expect(rows.map(({ action, targetId, details }) => [action, targetId, details])).toEqual([
      ['api_key.revoke', stolen.id, {}],
      ['api_key.revoke_secret', sibling.id, { revoked_with: stolen.id }],
    ])
    expect(rows[1]).toMatchObject({ actorKeyId: owner.id, targetType: 'api_key' })
  })

  test('does not survive if it is created while the first key is being revoked', async () => {
    for (let round = 0; round < 4; round++) {
      const { owner, stolen, sibling } = await makeTheft()
      const child = await makeKeyWith(api, stolen.token)
      const rotations = [stolen, child, stolen, child].map(async ({ token }, index) => {
        const at = index % 2 ? api : other
        const body = { grace_seconds: graceSeconds }
        const response = await at.call('post', `/api-keys/${sibling.id}/rotate`, { token, body })
        if (response.status !== 200) return response.status
        const made = response.body.token as string
        const key = { name: 'spare', scopes: ['*'] }
        const next = await at.call('post', '/api-keys', { token: made, body: key })
        return [made, ...(next.status === 201 ? [next.body.token as string] : [])]
      })
      const revocation = revoke(owner.token, stolen.id)
      const results = await Promise.all(rotations)
      expect((await revocation).status).toBe(204)
      expect(results.filter((result) => typeof result === 'number' && result !== 401)).toEqual([])
      await expectStatuses(
        results.flatMap((result) => (typeof result === 'number' ? [] : result)),
        401,
      )
      await expectStatuses([sibling.token], 200)
    }
  })
})
