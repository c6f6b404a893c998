import { describe, expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { callWith, makeSession, makeSignedIn } from '../support/session.ts'
import { visitorOf } from './visitor.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })

async function enter() {
  const tenant = await api.makeTenant()
  const person = await makeSignedIn(api, tenant)
  const call = callWith(api, person)
  const make = async (fields: object = {}): Promise<{ id: string; token: string }> => {
    const body = { name: 'Key', scopes: ['*'], ...fields }
    const { body: made } = await call('post', '/api-keys', { body })
    return { id: made.key.id, token: made.token }
  }
  const show = async (id: string) => (await call('get', `/api-keys/${id}`)).body.key
  return { tenant, person, call, make, show, visitor: visitorOf(api, person) }
}

/** Creates a key with another key. */
async function makeWith(token: string, name: string): Promise<{ id: string; token: string }> {
  const body = { name, scopes: ['*'] }
  const { body: made } = await api.call('post', '/api-keys', { token, body })
  return { id: made.key.id, token: made.token }
}

test('the page of a workload key shows its exchange settings and offers no rotation', async () => {
  const { make, visitor } = await enter()
  const { id } = await make({
    kind: 'organization',
    workload: {
      issuer: 'https://issuer.example',
      conditions: { repository_id: ['1234', '5678'] },
      token_lifetime_seconds: 600,
    },
  })
  const { text } = await visitor.get(`/keys/${id}`)
  for (const shown of [
    'https://issuer.example',
    `http://panel.test/workloads/${id}`,
    'repository_id: 1234, 5678',
    '600 s',
  ]) {
    expect(text).toContain(shown)
  }
  expect(text).not.toContain(`/keys/${id}/rotate`)
})

test('the page of a key that violates the key policy offers a replacement instead of a rotation', async () => {
  const { call, make, visitor } = await enter()
  const { id } = await make({ name: 'Forever', scopes: ['sites:read'] })
  expect((await visitor.get(`/keys/${id}`)).text).toContain(`/keys/${id}/rotate`)
  const body = {
    max_lifetime_days: 30,
    ip_allowlist_required: false,
    personal_keys_allowed: true,
  }
  expect((await call('put', '/tenant/key-policy', { body })).status).toBe(200)
  const { text } = await visitor.get(`/keys/${id}`)
  expect(text).not.toContain(`/keys/${id}/rotate`)
  expect(text).toContain('href="/keys/new?name=Forever&amp;scopes=sites%3Aread"')
})

describe('accounts of a key', () => {
  const fields = { do: 'create', name: 'Limited', scopes: 'sites:read', lifetime: '30' }

  test('are chosen by name when it is created, and shown on its page', async () => {
    const { tenant, show, visitor } = await enter()
    const [chosen, other] = [await tenant.makeAccount(), await tenant.makeAccount()]
    const form = await visitor.get('/keys/new')
    for (const id of [chosen, other]) expect(form.text).toContain(`name="accounts" value="${id}"`)
    const shown = await visitor.submit('/keys/new', { ...fields, accounts: chosen })
    const id = /\/keys\/([a-z2-7]{12})/.exec(shown.text)![1]!
    expect((await show(id)).accounts).toEqual([chosen])
    expect((await visitor.get(`/keys/${id}`)).text).toContain('<code>Account</code>')
  })

  test('are not limited if none is chosen', async () => {
    const { tenant, show, visitor } = await enter()
    await tenant.makeAccount()
    const shown = await visitor.submit('/keys/new', fields)
    expect((await show(/\/keys\/([a-z2-7]{12})/.exec(shown.text)![1]!)).accounts).toBeNull()
  })

  test('remain in the record after they are deleted and the key is renamed', async () => {
    const { tenant, make, show, visitor } = await enter()
    const accounts = [await tenant.makeAccount(), await tenant.makeAccount()]
    const { id } = await make({ accounts })
    await api.callInternal('delete', `/accounts/${accounts[0]}`)
    expect((await visitor.get(`/keys/${id}/edit`)).text).toContain('Unknown account')
    const save = { do: 'save', name: 'Renamed', scopes: '*', accounts, enabled: 'true' }
    await visitor.submit(`/keys/${id}/edit`, save)
    expect(await show(id)).toMatchObject({ name: 'Renamed', accounts })
    await visitor.submit(`/keys/${id}/edit`, { ...save, accounts: accounts[1]! })
    expect((await show(id)).accounts).toEqual([accounts[1]])
  })

  test('are entered as ids if the organization has too many to list', async () => {
    const { tenant, make, show, visitor } = await enter()
    await api.database.pool.query(
      `INSERT INTO accounts (id, tenant_id, name)
       SELECT gen_random_uuid(), $1, 'Account ' || n FROM generate_series(1, 101) AS n`,
      [tenant.id],
    )
    const { rows } = await api.database.pool.query<{ id: string }>(
      'SELECT id FROM accounts WHERE tenant_id = $1 LIMIT 2',
      [tenant.id],
    )
    const ids = rows.map((row) => row.id)
    const { id } = await make()
    expect((await visitor.get(`/keys/${id}/edit`)).text).toContain('One account ID per line.')
    const save = { do: 'save', name: 'Key', scopes: '*', accounts: ids.join('\n') }
    await visitor.submit(`/keys/${id}/edit`, save)
    expect((await show(id)).accounts.toSorted()).toEqual(ids.toSorted())
  })
})

describe('the state of a key', () => {
  test('changes with a button, from the next request on', async () => {
    const { make, visitor } = await enter()
    const { id, token } = await make()
    const disabled = await visitor.submit(`/keys/${id}`, { do: 'disable' })
    expect(disabled.text).toContain('Key disabled. Its next request will be rejected.')
    expect(disabled.text).toContain('>Disabled<')
    expect(await api.call('get', '/auth/me', { token })).toMatchObject({ status: 401 })
    expect((await visitor.get('/keys?status=disabled')).text).toContain(`/keys/${id}`)
    expect((await visitor.get('/keys?status=active')).text).not.toContain(`/keys/${id}`)
    const enabled = await visitor.submit(`/keys/${id}`, { do: 'enable' })
    expect(enabled.text).toContain('Key enabled.')
    expect(await api.call('get', '/auth/me', { token })).toMatchObject({ status: 200 })
  })

  test('needs a confirmation to be enabled, but not to be disabled', async () => {
    const { person, make, show } = await enter()
    const { id } = await make()
    const stale = visitorOf(api, await makeSession(api, person.id, { confirmedMsAgo: 301_000 }))
    await stale.submit(`/keys/${id}`, { do: 'disable' })
    const { status, headers } = await stale.post(`/keys/${id}`, { do: 'enable' })
    expect({ status, to: headers['location'] }).toEqual({
      status: 303,
      to: `/confirm?next=${encodeURIComponent(`/keys/${id}`)}`,
    })
    expect((await show(id)).enabled).toBe(false)
  })

  test('is also in the form', async () => {
    const { make, show, visitor } = await enter()
    const { id } = await make()
    const save = { do: 'save', name: 'Key', scopes: '*', enabled: 'false' }
    await visitor.submit(`/keys/${id}/edit`, save)
    expect(await show(id)).toMatchObject({ enabled: false, status: 'disabled' })
  })
})

describe('keys that were created with a key', () => {
  test('are shown as a tree and name the key that created them', async () => {
    const { make, visitor } = await enter()
    const root = await make({ name: 'Root' })
    const child = await makeWith(root.token, 'Child')
    const grandchild = await makeWith(child.token, 'Grandchild')
    const { text } = await visitor.get(`/keys/${root.id}`)
    expect(text).toMatch(/class="tree">.*Child.*class="tree">.*Grandchild/s)
    expect((await visitor.get(`/keys/${grandchild.id}`)).text).toContain(
      `Key <a href="/keys/${child.id}">`,
    )
    expect((await visitor.get(`/keys/${grandchild.id}`)).text).not.toContain('class="tree"')
  })

  test('are shown with the tokens of other keys that the key created, and the keys created with these', async () => {
    const { make, show, visitor } = await enter()
    const [thief, victim] = [await make({ name: 'Thief' }), await make({ name: 'Victim' })]
    const rotation = await api.call('post', `/api-keys/${victim.id}/rotate`, {
      token: thief.token,
      body: { grace_seconds: 3_600 },
    })
    const child = await makeWith(rotation.body.token as string, 'Child')
    for (const path of [`/keys/${thief.id}`, `/keys/${thief.id}/revoke`]) {
      const { text } = await visitor.get(path)
      expect(text).toMatch(/class="tree">.*Token of .*Victim.*Active.*class="tree">.*Child/s)
    }
    expect((await visitor.get(`/keys/${victim.id}`)).text).toMatch(/class="tree">.*Child/s)
    await visitor.submit(`/keys/${thief.id}/revoke`, { do: 'revoke', descendants: 'true' })
    expect((await show(child.id)).status).toBe('revoked')
    expect((await show(victim.id)).status).toBe('active')
    const { text } = await visitor.get(`/keys/${thief.id}`)
    expect(text).toMatch(/Token of .*Victim.*Revoked/s)
  })

  test('are revoked with the key only on request', async () => {
    const { make, show, visitor } = await enter()
    const [kept, lost] = [await make(), await make()]
    const [child, other] = [await makeWith(kept.token, 'A'), await makeWith(lost.token, 'B')]
    const grandchild = await makeWith(other.token, 'C')
    expect((await visitor.get(`/keys/${lost.id}/revoke`)).text).toContain(
      'Also revoke everything that was created with this key',
    )
    await visitor.submit(`/keys/${kept.id}/revoke`, { do: 'revoke' })
    expect((await show(child.id)).status).toBe('active')
    const revoke = { do: 'revoke', descendants: 'true' }
    const { text } = await visitor.submit(`/keys/${lost.id}/revoke`, revoke)
    expect(text).toContain('Key revoked with the keys that were created with it.')
    for (const { id } of [lost, other, grandchild]) expect((await show(id)).status).toBe('revoked')
  })

  test('stay hidden from a person who may not see them', async () => {
    const { tenant, make } = await enter()
    const owner = await tenant.makeKey()
    const body = { name: 'Robot', scopes: ['*'], kind: 'organization' }
    await api.call('post', '/api-keys', { token: owner.token, body })
    await makeWith(owner.token, 'Own child')
    await make()
    await api.callInternal('put', `/users/${owner.userId}`, {
      tenant_id: tenant.id,
      email: `${owner.userId}@example.test`,
      name: 'Ana',
      status: 'active',
      roles: ['customer'],
      accounts: [],
    })
    const session = await makeSession(api, owner.userId)
    const { text } = await visitorOf(api, session).get(`/keys/${owner.id}`)
    expect(text).toContain('Own child')
    expect(text).not.toContain('Robot')
  })
})

test('the organization, its key policy, the keys and a key warn of a wide IP allowlist', async () => {
  const { call, make, visitor } = await enter()
  const { id } = await make({ name: 'Wide', ip_allowlist: ['10.0.0.0/7'] })
  await make({ name: 'Narrow', ip_allowlist: ['10.0.0.0/8'] })
  const body = {
    max_lifetime_days: null,
    ip_allowlist_required: true,
    personal_keys_allowed: true,
  }
  const { body: saved } = await call('put', '/tenant/key-policy', { body })
  expect(saved.warnings).toMatchObject([{ code: 'wide_ip_allowlist', keys: 1 }])
  for (const path of ['/organization', '/organization/key-policy']) {
    expect((await visitor.get(path)).text).toContain('/keys?wide_ip_allowlist=true')
  }
  const { text } = await visitor.get('/keys?wide_ip_allowlist=true')
  expect(text).toContain(`/keys/${id}`)
  expect(text).not.toContain('Narrow')
  expect((await visitor.get('/keys')).text.split('Wide IP allowlist')).toHaveLength(2)
  expect((await visitor.get(`/keys/${id}`)).text).toContain('IP allowlist of this key is wide')
})
