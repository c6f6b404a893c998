import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { useApi } from '../support/api.ts'
import { startIssuer, type Issuer } from '../support/issuer.ts'
import { makeSession } from '../support/session.ts'
import { visitorOf, type Fields } from './visitor.ts'
import { enterPanel } from './enter.ts'

const api = useApi({ PUBLIC_URL: 'http://panel.test' })
let issuer: Issuer
beforeAll(async () => {
  issuer = await startIssuer()
})
afterAll(() => issuer.close())

const enter = (options?: Parameters<typeof enterPanel>[1]) => enterPanel(api, options)
type Entered = Awaited<ReturnType<typeof enter>>

const path = '/keys/new/workload'
const fields = { do: 'create', name: 'Deploy', scopes: 'sites:write', lifetime: '30' }
const idIn = (text: string): string => /\/keys\/([a-z2-7]{12})\/workload/.exec(text)![1]!

/** Submits the form, and returns the workload of the key that the next page shows. */
async function create({ visitor, call }: Entered, service: string, more: Fields) {
  const shown = await visitor.submit(`${path}?service=${service}`, { ...fields, ...more })
  expect(shown.text).toContain('Workload key created.')
  const { body } = await call('get', `/api-keys/${idIn(shown.text)}`)
  return { text: shown.text, key: body.key as { id: string; workload: { audience: string } } }
}

describe('the form for a workload key', () => {
  test('is linked from the form for a key, and says where to find ids', async () => {
    const { visitor } = await enter()
    expect((await visitor.get('/keys/new')).text).toContain(`href="${path}"`)
    const { text } = await visitor.get(path)
    expect(text).toContain('<code>gh api repos/OWNER/REPOSITORY --jq .id</code>')
    expect(text).toContain('name="repository_id"')
    const gitlab = (await visitor.get(`${path}?service=gitlab`)).text
    expect(gitlab).toContain('Copy project ID')
    expect(gitlab).toMatch(/href="\/keys\/new\/workload\?preset=\w+&(amp;)?service=gitlab"/)
    expect((await visitor.get(`${path}?service=other`)).text).toContain('name="issuer"')
  })

  test('for GitHub creates a key with conditions, and shows the code for the workflow', async () => {
    const entered = await enter()
    const { key, text } = await create(entered, 'github', {
      repository_id: '1234',
      repository_owner_id: '56',
      branch: 'main',
      environment: 'production',
      conditions: 'event_name=push\nevent_name=workflow_dispatch',
      token_lifetime_seconds: '300',
    })
    expect(key).toMatchObject({
      kind: 'organization',
      source: 'workload',
      scopes: ['sites:write'],
      workload: {
        issuer: 'https://token.actions.githubusercontent.com',
        conditions: {
          repository_id: '1234',
          repository_owner_id: '56',
          ref: 'refs/heads/main',
          environment: 'production',
          event_name: ['push', 'workflow_dispatch'],
        },
        token_lifetime_seconds: 300,
      },
    })
    expect(text).toContain(`http://panel.test/workloads/${key.id}`)
    expect(text).toContain('id-token: write')
    expect(text).toContain(`token exchange --server http://panel.test --key ${key.id} --export`)
  })

  test('for GitLab accepts the customer’s own server', async () => {
    const { key, text } = await create(await enter(), 'gitlab', {
      issuer: 'https://gitlab.example.com',
      project_id: '20',
      branch: 'main',
    })
    expect(key.workload).toMatchObject({
      issuer: 'https://gitlab.example.com',
      conditions: { project_id: '20', ref: 'main', ref_type: 'branch' },
      token_lifetime_seconds: 900,
    })
    expect(text).toContain(`aud: ${key.workload.audience}`)
  })

  test.each<[string, string, Fields, RegExp]>([
    ['a name instead of an ID', 'github', { repository_id: 'acme/site' }, /must be a number/i],
    ['no ID', 'github', { branch: 'main' }, /is required, or the ID below/i],
    ['no ID of GitLab', 'gitlab', {}, /is required, or the ID below/i],
    ['a condition without a value', 'other', { conditions: 'sub' }, /the form claim=value/],
    [
      'an issuer without https',
      'other',
      { issuer: 'nonsense', conditions: 'sub=a' },
      /It must be an https/,
    ],
    [
      'a wildcard that is too short',
      'other',
      { issuer: 'https://issuer.example', conditions: 'sub=a*' },
      /“sub”: A `\*` is only allowed at the end/,
    ],
    [
      'a wildcard in a branch, next to its field',
      'github',
      { repository_id: '1', branch: '*/main' },
      /id="field-branch-error"[^]*only allowed at the end/,
    ],
    ['a lifetime', 'github', { repository_id: '1', token_lifetime_seconds: '9' }, /at least 60/],
  ])('refuses %s, and keeps what was entered', async (_, service, more, message) => {
    const { visitor } = await enter()
    const { text } = await visitor.submit(`${path}?service=${service}`, { ...fields, ...more })
    expect(text).toMatch(message)
    expect(text).toContain('value="Deploy"')
  })

  test('is only for people who manage organization keys, and needs a confirmation', async () => {
    const { visitor } = await enter({ roles: ['customer'] })
    expect((await visitor.get(path)).status).toBe(403)
    expect((await visitor.get('/keys/new')).text).not.toContain(path)
    const { person } = await enter()
    const stale = visitorOf(api, await makeSession(api, person.id, { confirmedMsAgo: 301_000 }))
    expect((await stale.get(path)).headers['location']).toContain('/confirm?next=')
  })
})

/** A key of our own issuer. */
async function makeKey() {
  const entered = await enter()
  const conditions = 'repository_id=1234\nref=refs/heads/main'
  const more = { issuer: issuer.url, conditions, single_use: 'true' }
  const { key } = await create(entered, 'other', more)
  const sign = (claims: object = {}): string => {
    const held = { repository_id: '1234', ref: 'refs/heads/main' }
    return issuer.sign({ aud: key.workload.audience, ...held, ...claims })
  }
  const tryToken = (token: string) =>
    entered.visitor.submit(`/keys/${key.id}/workload`, { do: 'try', identity_token: token })
  const exchange = (token: string) =>
    api.call('post', '/auth/token', {
      body: {
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        subject_token: token,
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      },
    })
  return { ...entered, key, sign, tryToken, exchange }
}

describe('trying an identity token', () => {
  test('says that it would be accepted, does not exchange it and shows the result once', async () => {
    const { key, sign, tryToken, exchange, visitor } = await makeKey()
    const token = sign()
    for (let time = 0; time < 2; time++) {
      const { text } = await tryToken(token)
      expect(text).toContain('This token would be accepted')
      expect(text).not.toContain(token)
    }
    const again = await visitor.get(`/keys/${key.id}/workload`)
    expect(again.text).not.toContain('This token would be accepted')
    expect((await exchange(token)).status).toBe(200)
    expect((await tryToken(token)).text).toContain('Failed: First use.')
  })

  test.each<[string, object, string]>([
    ['another audience', { aud: 'https://other.example' }, 'Failed: Audience.'],
    ['another issuer', { iss: 'https://other.example' }, 'Failed: Issuer.'],
    ['expiry', { exp: 1 }, 'Failed: Times.'],
    ['a long life', { exp: Math.floor(Date.now() / 1_000) + 90_100 }, 'Failed: Lifetime.'],
    ['no subject', { sub: undefined }, 'Failed: Subject.'],
    ['an unmet condition', { ref: 'refs/heads/dev' }, 'Failed: Condition ref.'],
    [
      'everything at once',
      { aud: 'a', exp: 1, repository_id: undefined, ref: 'x'.repeat(5_000) },
      'Failed: Audience, Times, Condition ref, Condition repository_id.',
    ],
  ])('says what fails: %s', async (_, claims, message) => {
    const { sign, tryToken } = await makeKey()
    expect((await tryToken(sign(claims))).text).toContain(message)
  })

  test("shows the expected value of a condition and the token's value", async () => {
    const { sign, tryToken } = await makeKey()
    const { text } = await tryToken(sign({ ref: 'refs/heads/<b>dev</b>' }))
    expect(text).toContain(
      'Expected <code>refs/heads/main</code>, the token has <code>refs/heads/&lt;b>dev&lt;/b></code>.',
    )
  })

  test('refuses an invalid token, and never shows or stores it', async () => {
    const { tryToken } = await makeKey()
    const { text } = await tryToken('eyJsecret.not-a-token')
    expect(text).toMatch(/must be a JWT/i)
    expect(text).not.toContain('eyJsecret')
    const { rowCount } = await api.database.pool.query(
      `SELECT FROM form_drafts d WHERE d::text LIKE '%eyJsecret%'`,
    )
    expect(rowCount).toBe(0)
  })

  test('says that a disabled key accepts no tokens', async () => {
    const { key, call, sign, tryToken } = await makeKey()
    await call('patch', `/api-keys/${key.id}`, { body: { enabled: false } })
    expect((await tryToken(sign())).text).toContain('Failed: Key.')
  })
})

describe('the page of a workload key', () => {
  test('shows the last exchanges with subject and outcome', async () => {
    const { key, sign, exchange, visitor } = await makeKey()
    expect((await visitor.get(`/keys/${key.id}`)).text).toContain('No job has exchanged')
    await exchange(sign({ sub: 'repo:acme/site:<i>main</i>' }))
    await exchange(sign({ sub: 'somebody else', ref: 'refs/heads/dev' }))
    const { text } = await visitor.get(`/keys/${key.id}`)
    expect(text).toMatch(/somebody else[^]*Refused[^]*A condition is not met[^]*Exchanged/)
    expect(text).toContain('repo:acme/site:&lt;i>main&lt;/i>')
    expect(text).toContain(`/audit?action=api_key.exchange&amp;key_id=${key.id}`)
  })

  test('links to the form for its conditions, whose change ends its tokens', async () => {
    const { key, sign, exchange, visitor, call } = await makeKey()
    const token = (await exchange(sign())).body.access_token as string
    const edit = `/keys/${key.id}/workload/edit`
    expect((await visitor.get(`/keys/${key.id}`)).text).toContain(edit)
    expect((await visitor.get(edit)).text).toContain('ref=refs/heads/main\nrepository_id=1234')
    const save = { do: 'save', conditions: 'repository_id=1234', token_lifetime_seconds: '600' }
    const saved = await visitor.submit(edit, save)
    expect(saved.text).toContain('Changes saved.')
    expect((await call('get', `/api-keys/${key.id}`)).body.key.workload).toMatchObject({
      conditions: { repository_id: '1234' },
      token_lifetime_seconds: 600,
    })
    expect((await api.call('get', '/auth/me', { token })).status).toBe(401)
  })

  test('keeps whether tokens are used once, and the audience, which the code for a job names', async () => {
    const entered = await enter()
    const { key, text } = await create(entered, 'github', {
      repository_id: '1234',
      single_use: 'false',
      audience: "api://it's mine",
    })
    expect(key.workload).toMatchObject({ single_use: false, audience: "api://it's mine" })
    expect(text).toContain(String.raw`--audience 'api://it'\''s mine' --export`)
    const edit = `/keys/${key.id}/workload/edit`
    const save = { do: 'save', conditions: 'repository_id=1', single_use: 'true' }
    await entered.visitor.submit(edit, save)
    const { body } = await entered.call('get', `/api-keys/${key.id}`)
    expect(body.key.workload).toMatchObject({ single_use: true, audience: "api://it's mine" })
  })

  test('keeps names and values of conditions with = and every other character', async () => {
    const { call, visitor } = await enter()
    const conditions = {
      'a=b': ['c=d', ' spaces '],
      '"quoted"': '"x"',
      '/nested/with=sign': 'two\nlines',
      plain: 'value with "quotes"',
      ' padded\t': '\\',
    }
    const workload = { issuer: issuer.url, conditions }
    const { body } = await call('post', '/api-keys', {
      body: { name: 'Key', kind: 'organization', scopes: ['*'], workload },
    })
    const edit = `/keys/${body.key.id}/workload/edit`
    const shown = (await visitor.get(edit)).text
    const field = /<textarea[^>]*name="conditions"[^>]*>([^<]*)/.exec(shown)![1]!
    const text = field.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&')
    await visitor.submit(edit, { do: 'save', conditions: text.replaceAll('\n', '\r\n') })
    const stored = await call('get', `/api-keys/${body.key.id}`)
    expect(stored.body.key.workload.conditions).toEqual(conditions)
  })

  test('has no workload pages for another kind of key', async () => {
    const { call, visitor } = await enter()
    const { body } = await call('post', '/api-keys', { body: { name: 'Key', scopes: ['*'] } })
    for (const page of ['workload', 'workload/edit']) {
      expect((await visitor.get(`/keys/${body.key.id}/${page}`)).status).toBe(404)
    }
  })
})
