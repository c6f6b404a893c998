import { describe, expect, test } from '@jest/globals'
import { readFile } from 'node:fs/promises'
import { globSync } from 'node:fs'
import request, { type Response } from 'supertest'
import { SubmittedForm } from '../../apps/api/src/panel/form.ts'
import { savedFieldsOf } from '../../apps/api/src/panel/form-draft.ts'
import { root } from '../../tools/run.ts'
import { useApi } from '../support/api.ts'
import { makePerson, makeSession, makeSignedIn } from '../support/session.ts'
import { headingOf, visitorOf, type Fields } from './visitor.ts'
import { enterPanel } from './enter.ts'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.1/32', PUBLIC_URL: 'http://panel.test' })

const password = 'a long enough sentence'

/** A signed-in administrator with a browser. */
const enter = (options?: Parameters<typeof enterPanel>[1]) => enterPanel(api, options)

type Visitor = ReturnType<typeof visitorOf>

const targetOf = ({ status, headers }: Response) => ({ status, to: headers['location'] })

const endSession = (id: string): Promise<unknown> =>
  api.database.pool.query(
    `UPDATE panel_sessions SET idle_expires_at = now() - interval '1 s' WHERE id = $1`,
    [id],
  )

const countDrafts = async (userId: string): Promise<number> => {
  const { rows } = await api.database.pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM form_drafts WHERE user_id = $1',
    [userId],
  )
  return rows[0]!.count
}

/** The hidden fields of a page's forms, which a browser would submit. */
async function markOf(visitor: Visitor, path: string): Promise<Fields> {
  const { text } = await visitor.get(path)
  return { person: /name="person" value="([^"]+)"/.exec(text)![1]! }
}

const newKey = { do: 'create', name: 'A key', scopes: '*:read', lifetime: '30' }

describe('a rejected form', () => {
  /** A form that each page rejects, and a text that the page shows then. */
  const rejected: readonly (readonly [path: string, fields: Fields, shown: string])[] = [
    ['/keys/new', { ...newKey, name: '', ip_allowlist: '203.0.113.7' }, '>203.0.113.7</textarea>'],
    ['/webhooks/new', { do: 'create', url: 'ftp://example.com', events: '*' }, 'ftp://example.com'],
    ['/device', { do: 'review', user_code: 'ABCD-1234' }, 'ABCD-1234'],
    ['/security/password', { do: 'change', new_password: 'a' }, 'field-repeated_password-error'],
    ['/security/authenticator', { do: 'activate', totp_code: '000000' }, 'role="alert"'],
    ['/organization/key-policy', { do: 'save', max_lifetime_days: '0' }, 'value="0"'],
    ['/confirm', { do: 'confirm', password: 'not this one' }, 'Invalid credentials'],
    ['/security', { do: 'notifications', email: 'none' }, 'Security'],
  ]

  test.each(rejected)(
    'of %s redirects to the page, which shows it again',
    async (path, fields, shown) => {
      const { visitor } = await enter()
      const response = await visitor.post(path, fields)
      expect(response.status).toBe(303)
      const page = await visitor.get(response.headers['location']!)
      expect(page.status).toBe(200)
      expect(page.text).toContain(shown)
    },
  )

  test('of the sign-in keeps the address, and stores nothing', async () => {
    const visitor = visitorOf(api)
    const fields = { do: 'sign-in', email: 'nobody@example.test', password: 'wrong sentence' }
    const response = await visitor.post('/sign-in?next=%2Fkeys', { ...fields, next: '/keys' })
    expect(targetOf(response)).toEqual({ status: 303, to: '/sign-in?next=%2Fkeys' })
    const { text } = await visitor.get('/sign-in?next=%2Fkeys')
    expect(text).toContain('Invalid credentials')
    expect(text).toContain('value="nobody@example.test"')
    expect(text).not.toContain('wrong sentence')
    const { rows } = await api.database.pool.query('SELECT 1 FROM form_drafts WHERE page = $1', [
      '/sign-in',
    ])
    expect(rows).toEqual([])
  })

  test('of the sign-in that does not fit into a cookie still shows its errors', async () => {
    const visitor = visitorOf(api)
    const email = `${'x'.repeat(5_000)}@example.test`
    const response = await visitor.post('/sign-in', { do: 'sign-in', email, password: 'x' })
    const [cookie] = response.headers['set-cookie'] as unknown as string[]
    expect(cookie!.length).toBeLessThan(4_000)
    expect((await visitor.get('/sign-in')).text).toContain('role="alert"')
  })

  test('is shown once, and a live update does not show it', async () => {
    const { visitor } = await enter()
    const path = '/keys/new?name=CI&scopes=sites:read'
    const response = await visitor.post(path, { ...newKey, name: '' })
    expect(targetOf(response)).toEqual({ status: 303, to: path })
    const update = await visitor.get(path, { 'live-update': '1' })
    expect(update.text).not.toContain('role="alert"')
    const shown = await visitor.get(path)
    expect(shown.text).toContain('<title>Error: Create API key')
    expect(shown.text).toMatch(/value="\*:read" checked/)
    expect((await visitor.get(path)).text).not.toContain('role="alert"')
  })

  test('may have the maximum size of a form', async () => {
    const { visitor, person } = await enter()
    const entries = Array.from({ length: 300 }, (_, index) => `2001:db8:${index}:ffff:ffff::/80`)
    const fields = { ...newKey, ip_allowlist: entries.join('\n') }
    const response = await visitor.post('/keys/new', fields)
    const cookies = (response.headers['set-cookie'] as unknown as string[]).join()
    expect(cookies.length).toBeLessThan(200)
    expect(await countDrafts(person.userId)).toBe(1)
    const { text } = await visitor.get('/keys/new')
    expect(text).toContain('2001:db8:0:ffff:ffff::/80\n2001:db8:1:')
    expect(text).toContain('2001:db8:299:ffff:ffff::/80')
    expect(await countDrafts(person.userId)).toBe(0)
  })

  test('is shown to nobody else and on no other page', async () => {
    const { visitor, tenant, person } = await enter()
    const response = await visitor.post('/keys/new', { ...newKey, name: '', ip_allowlist: 'mine' })
    const cookie = (response.headers['set-cookie'] as unknown as string[])[0]!.split(';')[0]!
    const colleague = await makeSignedIn(api, tenant)
    const get = async (path: string, session: string) =>
      (
        await request(api.url)
          .get(path)
          .set({ cookie: `${session}; ${cookie}` })
      ).text
    expect(await get('/keys/new', colleague.cookie)).not.toContain('>mine</textarea>')
    expect(await get('/webhooks/new', person.cookie)).not.toContain('role="alert"')
    expect(await get('/keys/new', person.cookie)).toContain('>mine</textarea>')
  })

  test('is deleted when it expires, and a user has at most 10', async () => {
    const { visitor, person } = await enter()
    for (let count = 0; count < 12; count++) {
      await visitor.post('/keys/new', { ...newKey, name: '' })
    }
    expect(await countDrafts(person.userId)).toBe(10)
    await api.database.pool.query(
      `UPDATE form_drafts SET expires_at = now() - interval '1 s' WHERE user_id = $1`,
      [person.userId],
    )
    expect((await visitor.get('/keys/new')).text).not.toContain('role="alert"')
  })

  test('about a deleted record leads to the page that says so', async () => {
    const { visitor } = await enter()
    const made = await visitor.post('/webhooks/new', {
      do: 'create',
      url: 'https://example.com/hooks',
      events: '*',
    })
    const path = made.headers['location']!.replace('/secret', '/delete')
    await visitor.submit(path, { do: 'delete' })
    const response = await visitor.post(path, { do: 'delete' })
    expect(targetOf(response)).toEqual({ status: 303, to: path })
    expect(await visitor.get(path)).toMatchObject({ status: 404 })
  })
})

describe('secrets of a form', () => {
  test('are not among the saved fields', async () => {
    const secretNames = new Set<string>()
    for (const path of globSync('apps/api/src/panel/pages/**/*.tsx', { cwd: root })) {
      const source = await readFile(`${root}${path}`, 'utf8')
      for (const [field] of source.matchAll(/<(TextField|TextArea)\b[^]*?\n\s*\/>/g)) {
        if (!/\n\s*secret\n|type="password"|name="headers"/.test(field)) continue
        secretNames.add(/name="([^"]+)"/.exec(field)![1]!)
      }
    }
    expect([...secretNames].toSorted()).toEqual([
      'headers',
      'new_password',
      'password',
      'repeated_password',
      'totp_code',
      'typed_code',
    ])
    const headers = { headers: ' X-A: secret\r\nsecret\nBearer secret: x\nX-B :secret:x' }
    expect(savedFieldsOf(new SubmittedForm(headers))).toEqual([['headers', 'X-A: \nX-B: ']])
    const values = [...secretNames, 'name', 'url'].map((name) => [name, `value of ${name}`])
    expect(savedFieldsOf(new SubmittedForm(Object.fromEntries(values)))).toEqual([
      ['name', 'value of name'],
      ['url', 'value of url'],
    ])
  })

  test('are not shown again with a rejected form, and the page says so', async () => {
    const { visitor } = await enter()
    const { text } = await visitor.submit('/webhooks/new', {
      do: 'create',
      url: 'ftp://example.com',
      events: '*',
      headers: 'X-Token: 8Jq2vT\n8Jq2vT',
    })
    expect(text).not.toContain('8Jq2vT')
    expect(text).toContain('X-Token: </textarea>')
    expect(text).toContain('Enter the values again')
    expect(text).toMatch(/<details class="details folded" open><summary><span>Headers/)
  })
})

describe('a form of a session that has ended', () => {
  test('is shown again, not submitted, after the same person signs in again', async () => {
    const tenant = await api.makeTenant()
    const { id, email } = await makePerson(api, tenant, { password })
    const session = await makeSession(api, id)
    const visitor = visitorOf(api, session)
    const mark = await markOf(visitor, '/keys/new')
    await endSession(session.id)
    const fields = { ...newKey, ...mark, name: 'Nightly report', ip_allowlist: '203.0.113.7' }
    const late = await visitor.post('/keys/new', fields)
    expect(targetOf(late)).toEqual({ status: 303, to: '/sign-in?next=%2Fkeys%2Fnew' })
    const credentials = { do: 'sign-in', email, password, next: '/keys/new' }
    const page = await visitor.submit('/sign-in?next=%2Fkeys%2Fnew', credentials)
    expect(headingOf(page)).toBe('Create API key')
    expect(page.text).toContain('The form is from an earlier session')
    expect(page.text).toContain('value="Nightly report"')
    expect(page.text).toContain('>203.0.113.7</textarea>')
    expect(page.text).toContain('<title>Create API key')
    expect(await api.database.prisma.apiKey.count({ where: { tenantId: tenant.id } })).toBe(0)
    expect((await visitor.get('/keys/new')).text).not.toContain('Nightly report')
  })

  test('is not shown to another person who signs in with the same browser', async () => {
    const { visitor, tenant, person } = await enter()
    const mark = await markOf(visitor, '/keys/new')
    await endSession(person.sessionId)
    const fields = { ...newKey, ...mark, ip_allowlist: 'typed by the first' }
    await visitor.post('/keys/new', fields)
    const other = await makeSignedIn(api, tenant)
    const [name, value] = other.cookie.split('=') as [string, string]
    visitor.hold(name, value)
    expect((await visitor.get('/keys/new')).text).not.toContain('typed by the first')
    const again = await makeSession(api, person.userId)
    visitor.hold(...(again.cookie.split('=') as [string, string]))
    expect((await visitor.get('/keys/new')).text).toContain('typed by the first')
  })

  test("is not saved without the person's mark, with a forged mark, or from another site", async () => {
    const { visitor, person } = await enter()
    const { person: mark } = await markOf(visitor, '/keys/new')
    await endSession(person.sessionId)
    const save = (fields: Fields, headers = {}) =>
      visitor.post('/keys/new', { ...newKey, ...fields }, headers)
    expect(await save({})).toMatchObject({ status: 303 })
    const forged = String(mark).replace(/.{43}$/, 'A'.repeat(43))
    expect(await save({ person: forged })).toMatchObject({ status: 303 })
    const headers = { 'sec-fetch-site': 'cross-site' }
    expect(await save({ person: mark! }, headers)).toMatchObject({ status: 403 })
    expect(await countDrafts(person.userId)).toBe(0)
    await save({ person: mark! })
    expect(await countDrafts(person.userId)).toBe(1)
  })

  test('is shown again, not submitted, if the person signed in again in another tab', async () => {
    const { visitor, person, tenant } = await enter()
    const mark = await markOf(visitor, '/keys/new')
    const fields = { ...newKey, ...mark, csrf_token: 'of the former session' }
    const response = await visitor.post('/keys/new', fields)
    expect(targetOf(response)).toEqual({ status: 303, to: '/keys/new' })
    const { text } = await visitor.get('/keys/new')
    expect(text).toContain('The form is from an earlier session')
    expect(text).toContain('value="A key"')
    expect(await api.database.prisma.apiKey.count({ where: { tenantId: tenant.id } })).toBe(0)
    const colleague = await makeSignedIn(api, tenant)
    const foreign = await markOf(visitorOf(api, colleague), '/keys/new')
    expect(await visitor.post('/keys/new', { ...fields, ...foreign })).toMatchObject({
      status: 403,
    })
    expect(await countDrafts(person.userId)).toBe(0)
  })

  test('is discarded for a sign-out: the sign-in page is shown', async () => {
    const { visitor, person } = await enter()
    const mark = await markOf(visitor, '/keys')
    await endSession(person.sessionId)
    await visitor.post('/sign-out', { do: 'sign-out', ...mark })
    expect(await countDrafts(person.userId)).toBe(0)
  })
})
