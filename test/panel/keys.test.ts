import { resources, scopes } from '@hosting/core/scopes'
import { describe, expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { callWith, makeSession, makeSignedIn } from '../support/session.ts'
import { headingOf, visitorOf } from './visitor.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })
const dayMs = 86_400_000

async function enter(options: Parameters<typeof makeSignedIn>[2] = {}) {
  const tenant = await api.makeTenant()
  const person = await makeSignedIn(api, tenant, options)
  const call = callWith(api, person)
  const make = async (name: string, fields: object = {}): Promise<string> => {
    const body = { name, scopes: ['sites:read'], ...fields }
    return (await call('post', '/api-keys', { body })).body.key.id
  }
  const setPolicy = (policy: object) => call('put', '/tenant/key-policy', { body: policy })
  return { tenant, person, call, make, setPolicy, visitor: visitorOf(api, person) }
}

type Visitor = ReturnType<typeof visitorOf>

const open = { max_lifetime_days: null, ip_allowlist_required: false, personal_keys_allowed: true }

/** The names of the keys that a page lists. */
const namesIn = (text: string): string[] =>
  [...text.matchAll(/class="row-link" href="[^"]*"><bdi>([^<]*)</g)].map(([, name]) => name!)

const listed = async (visitor: Visitor, path: string): Promise<string[]> =>
  namesIn((await visitor.get(path)).text)

/** The scopes that are checked, with a mark on those that cannot be changed. */
function checkedOf(text: string): string[] {
  const boxes = [...text.matchAll(/<input type="checkbox" name="scopes" value="([^"]*)"([^>]*)>/g)]
  return boxes
    .filter(([, , attributes]) => / checked/.test(attributes!))
    .map(([, scope, attributes]) => (/ disabled/.test(attributes!) ? `(${scope})` : scope!))
}

describe('the list of keys', () => {
  test('hides revoked keys until the filter asks for them', async () => {
    const { call, make, visitor } = await enter()
    await make('Working')
    await call('delete', `/api-keys/${await make('Gone')}`)
    expect(await listed(visitor, '/keys')).toEqual(['Working'])
    expect(await listed(visitor, '/keys?status=revoked')).toEqual(['Gone'])
    expect(await listed(visitor, '/keys?status=all')).toEqual(['Gone', 'Working'])
  })

  test('finds keys by part of the name', async () => {
    const { make, visitor } = await enter()
    for (const name of ['Deploy', 'Redeploy', 'Billing']) await make(name)
    expect(await listed(visitor, '/keys?q=DEPLOY')).toEqual(['Redeploy', 'Deploy'])
  })

  test.each([
    ['status=nonsense', 'status'],
    ['kind=nonsense', 'kind'],
    [`q=${'x'.repeat(200)}`, 'q'],
  ])('shows the error instead of keys for the filter %s', async (query, name) => {
    const { make, visitor } = await enter()
    await make('Working')
    const response = await visitor.get(`/keys?${query}`)
    expect(response.status).toBe(422)
    expect(namesIn(response.text)).toEqual([])
    expect(response.text).toContain(`id="filter-${name}-error"`)
  })

  test('shows the scopes of each key and the number of further ones', async () => {
    const { make, visitor } = await enter()
    await make('Narrow', { scopes: ['dns:write'] })
    await make('Broad', {
      scopes: ['sites:read', 'dns:read', 'mail:read', 'jobs:read', 'sftp:read'],
    })
    const { text } = await visitor.get('/keys')
    expect(text).toContain('<code>dns:write</code>')
    expect(text).toContain('<code>sites:read</code>')
    expect(text).not.toContain('<code>dns:read</code>')
    expect(text).toContain('and 4 more')
  })
})

describe('links that create keys', () => {
  test.each(['sites:write,jobs:read', 'sites:write%20jobs:read', 'sites:write&scopes=jobs:read'])(
    'fill in the name and the scopes %s, and say so',
    async (asked) => {
      const { visitor } = await enter()
      const { text } = await visitor.get(`/keys/new?name=CI%20runner&scopes=${asked}`)
      expect(text).toContain('value="CI runner"')
      expect(checkedOf(text)).toEqual(['jobs:read', '(sites:read)', 'sites:write'])
      expect(text).toContain('A link filled in this form')
    },
  )

  test('say that the scopes of a link to an existing key are not saved', async () => {
    const { make, visitor } = await enter()
    const path = `/keys/${await make('Narrow')}/edit`
    const notice = 'These scopes are not saved yet'
    expect((await visitor.get(`${path}?scopes=*`)).text).toContain(notice)
    expect((await visitor.get(path)).text).not.toContain(notice)
  })

  test('say that a link filled in the key policy', async () => {
    const { visitor } = await enter()
    const notice = 'A link filled in this form'
    const path = '/organization/key-policy'
    expect((await visitor.get(`${path}?personal_keys_allowed=false`)).text).toContain(notice)
    expect((await visitor.get(path)).text).not.toContain(notice)
  })

  test('name unknown scopes and select the others', async () => {
    const { visitor } = await enter()
    const { text } = await visitor.get('/keys/new?scopes=nonsense:read,dns:read,%3Cb%3E')
    expect(checkedOf(text)).toEqual(['dns:read'])
    expect(text).toContain('The link names scopes that do not exist')
    expect(text).toContain('<code>nonsense:read</code>')
    expect(text).toContain('&lt;b>')
  })

  test('keep the values while the person confirms their identity', async () => {
    const { person } = await enter()
    const stale = await makeSession(api, person.id, { confirmedMsAgo: 301_000 })
    const path = '/keys/new?name=CI&scopes=dns:read'
    const { status, headers } = await visitorOf(api, stale).get(path)
    expect({ status, to: headers['location'] }).toEqual({
      status: 303,
      to: `/confirm?${new URLSearchParams({ next: path })}`,
    })
  })

  test('fill in nothing without parameters', async () => {
    const { visitor } = await enter()
    const { text } = await visitor.get('/keys/new')
    expect(checkedOf(text)).toEqual([])
    expect(text).not.toContain('A link filled in this form')
  })
})

describe('the scope picker', () => {
  test.each([
    ['read-only', '*:read'],
    ['deploy', 'sites:write'],
    ['dns', 'dns:write'],
    ['webhooks', 'webhooks:write'],
    ['monitoring', 'alerts:read'],
  ])('offers the preset %s, which works without scripts', async (preset, scope) => {
    const { visitor } = await enter()
    expect((await visitor.get('/keys/new?name=CI')).text).toContain(
      `href="/keys/new?preset=${preset}&amp;name=CI"`,
    )
    const { text } = await visitor.get(`/keys/new?preset=${preset}&name=CI`)
    expect(checkedOf(text)).toContain(scope)
    expect(text).toContain('value="CI"')
    expect(text).not.toContain('A link filled in this form')
  })

  test('explains every resource', async () => {
    const { visitor } = await enter()
    const { text } = await visitor.get('/keys/new')
    expect(text.match(/class="matrix-row"/g)).toHaveLength(resources.length)
    expect(
      text.match(/<span class="under">[^<]{8,}<\/span><\/span><span><label title="\w+:read">/g),
    ).toHaveLength(resources.length)
  })

  test('shows everything that full access implies as checked and disabled', async () => {
    const { make, visitor } = await enter()
    const { text } = await visitor.get(`/keys/${await make('All', { scopes: ['*'] })}/edit`)
    const checked = checkedOf(text)
    expect(checked).toHaveLength(scopes.length)
    expect(checked.filter((scope) => !scope.startsWith('('))).toEqual(['*'])
  })

  test('shows every read scope as implied by read access to everything', async () => {
    const { visitor } = await enter()
    const checked = checkedOf((await visitor.get('/keys/new?scopes=*:read,dns:write')).text)
    expect(checked).toHaveLength(24)
    expect(checked.filter((scope) => !scope.startsWith('('))).toEqual(['*:read', 'dns:write'])
  })
})

describe('usage', () => {
  test('the page of a key charts the outcomes of its requests, or says that there are none', async () => {
    const { make, visitor } = await enter()
    const id = await make('Key')
    expect((await visitor.get(`/keys/${id}`)).text).toContain('No requests in the last 30 days')
    await api.database.pool.query(
      `INSERT INTO api_key_usage (key_id, date, requests, refused, rate_limited)
       VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 10, 3, 2)`,
      [id],
    )
    const { text } = await visitor.get(`/keys/${id}`)
    expect(text).toContain('Total: Accepted: 5, Refused (403): 3, Rate limited (429): 2.')
  })
})

describe('the key policy', () => {
  const path = '/organization/key-policy'
  const save = {
    do: 'save',
    max_lifetime_days: '30',
    ip_allowlist_required: 'true',
    personal_keys_allowed: 'false',
  }

  test('is shown with the organization, and changed in a form', async () => {
    const { call, visitor } = await enter()
    expect((await visitor.get('/organization')).text).toContain('No limit')
    const { text } = await visitor.submit(path, save)
    expect(text).toContain('Key policy saved.')
    expect(text).toContain('30 days')
    expect((await call('get', '/tenant/key-policy')).body.policy).toEqual({
      max_lifetime_days: 30,
      ip_allowlist_required: true,
      personal_keys_allowed: false,
    })
    expect((await visitor.submit(path, { ...save, max_lifetime_days: '' })).text).toContain(
      'No limit',
    )
  })

  test('keeps the entered values if it is rejected', async () => {
    const { visitor } = await enter()
    const { text } = await visitor.submit(path, { ...save, max_lifetime_days: '5000' })
    expect(text).toMatch(/id="field-max_lifetime_days-error"/)
    expect(text).toContain('value="5000"')
    expect(text).toMatch(/name="ip_allowlist_required" value="true" checked/)
  })

  test('takes the values of a link, such as one from `hctl policy set`', async () => {
    const { setPolicy, visitor } = await enter()
    await setPolicy({ ...open, max_lifetime_days: 7 })
    const linked = await visitor.get(`${path}?max_lifetime_days=30&personal_keys_allowed=false`)
    expect(linked.text).toContain('value="30"')
    expect(linked.text).toMatch(/name="personal_keys_allowed" value="false" checked/)
    expect(linked.text).toMatch(/name="ip_allowlist_required" value="false" checked/)
    expect((await visitor.get(`${path}?max_lifetime_days=none`)).text).not.toContain('value="7"')
    expect((await visitor.get(path)).text).toContain('value="7"')
  })

  test('lists the keys that violate it, with the reasons', async () => {
    const { make, setPolicy, visitor } = await enter()
    const id = await make('Old')
    await make('Fine', {
      kind: 'organization',
      ip_allowlist: ['203.0.113.7'],
      expires_at: new Date(Date.now() + dayMs).toISOString(),
    })
    expect((await visitor.get(`${path}/violations`)).text).toContain('All keys comply')
    await setPolicy({ ...open, ip_allowlist_required: true, max_lifetime_days: 2 })
    expect(await listed(visitor, `${path}/violations`)).toEqual(['Old'])
    expect((await visitor.get(`${path}/violations`)).text).toContain(
      'Lifetime too long, no IP allowlist',
    )
    expect((await visitor.get('/organization')).text).toContain('Some keys violate the key policy')
    expect((await visitor.get(`/keys/${id}`)).text).toContain('This key violates the key policy')
  })

  test('limits the choices of the form for a new key, and explains each violation there', async () => {
    const { setPolicy, visitor } = await enter()
    await setPolicy({
      max_lifetime_days: 45,
      ip_allowlist_required: true,
      personal_keys_allowed: false,
    })
    const { text } = await visitor.get('/keys/new')
    expect([...text.matchAll(/<option value="([^"]*)"/g)].map(([, value]) => value)).toEqual([
      '7',
      '30',
      '45',
    ])
    expect(text).toMatch(/name="kind" value="organization" checked/)
    const fields = { do: 'create', name: 'Key', scopes: 'dns:read', lifetime: '90' }
    const rejected = await visitor.submit('/keys/new', { ...fields, kind: 'personal' })
    expect(headingOf(rejected)).toBe('Create API key')
    for (const field of ['kind', 'expires_at', 'ip_allowlist']) {
      expect(rejected.text).toContain(`<a href="#field-${field}">`)
      expect(rejected.text).toContain(`id="field-${field}-error"`)
    }
    const fine = { ...fields, lifetime: '45', kind: 'organization', ip_allowlist: '203.0.113.7' }
    expect(headingOf(await visitor.submit('/keys/new', fine))).toBe('New token')
  })

  test('is read-only for support, and 403 for customers', async () => {
    const [support, customer] = [
      await enter({ roles: ['support'] }),
      await enter({ roles: ['customer'] }),
    ]
    const { text } = await support.visitor.get('/organization')
    expect(text).not.toContain('Change key policy')
    expect(await support.visitor.get(path)).toMatchObject({ status: 403 })
    expect(await support.visitor.post(path, save)).toMatchObject({ status: 403 })
    expect(await customer.visitor.get('/organization')).toMatchObject({ status: 403 })
    expect(await customer.visitor.get('/keys/new')).toMatchObject({ status: 200 })
  })
})
