import { describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { useApi } from '../../../../test/support/api.ts'
import { behindProxy } from '../support/device.ts'
import { refusalOf } from '../support/refusals.ts'
import { exchange, makeWorkloadKey, useIssuer, workloadsOf } from '../support/workloads.ts'

const api = useApi(behindProxy)
const other = useApi(behindProxy)
const issuer = useIssuer()

const { tokenFor, exchangesOf } = workloadsOf(api, issuer)
const workloadWith = (fields: object) => ({
  issuer: issuer.url,
  conditions: { repository_id: '1234' },
  ...fields,
})
const makeKey = (fields: object) => makeWorkloadKey(api, issuer, { workload: workloadWith(fields) })
type Key = Awaited<ReturnType<typeof makeKey>>
const bodyWith = (fields: object) => ({
  name: 'deploy',
  kind: 'organization',
  scopes: ['sites:read'],
  workload: workloadWith(fields),
})
const create = ({ call }: Key, fields: object) =>
  call('post', '/api-keys', { body: bodyWith(fields) })
const taken = { status: 409, code: 'conflict' }
const fresh = () => `api://${randomUUID()}`

describe('single_use', () => {
  test.each([
    ['https://token.actions.githubusercontent.com', { repository_id: '1' }, true],
    ['https://token.actions.acme.ghe.com', { repository_id: '1' }, true],
    ['https://gitlab.com', { project_id: '1' }, true],
    ['https://gitlab.example.com', { project_id: '1' }, false],
  ])(
    'of %s is %s by default, and can be chosen and changed',
    async (url, conditions, byDefault) => {
      const key = await makeWorkloadKey(api, issuer, { workload: { issuer: url, conditions } })
      const shown = async () => (await key.call('get', `/api-keys/${key.id}`)).body.key.workload
      expect((await shown()).single_use).toBe(byDefault)
      const body = { workload: { single_use: !byDefault } }
      const changed = await key.call('patch', `/api-keys/${key.id}`, { body })
      expect(changed.body.key.workload).toEqual({ ...(await shown()), single_use: !byDefault })
      const chosen = { issuer: url, conditions, single_use: !byDefault }
      const made = await makeWorkloadKey(api, issuer, { workload: chosen })
      const { body: stored } = await made.call('get', `/api-keys/${made.id}`)
      expect(stored.key.workload.single_use).toBe(!byDefault)
    },
  )

  test('true refuses tokens that were exchanged while it was false', async () => {
    const key = await makeKey({})
    const token = tokenFor(key)
    for (const at of [api, other]) expect((await exchange(at, token)).status).toBe(200)
    await key.call('patch', `/api-keys/${key.id}`, { body: { workload: { single_use: true } } })
    expect((await exchange(api, token)).status).toBe(400)
    expect((await exchangesOf(key)).at(-1)).toMatchObject({ details: { cause: 'replayed' } })
    expect((await exchange(api, tokenFor(key))).status).toBe(200)
  })
})

describe('a chosen audience', () => {
  test('is what the identity token must name; the URL with the id of the key is not', async () => {
    const audience = fresh()
    const key = await makeKey({ audience })
    expect(key.audience).toBe(audience)
    expect((await exchange(api, tokenFor(key))).status).toBe(200)
    const aud = `http://localhost:${new URL(api.url).port}/workloads/${key.id}`
    expect((await exchange(api, tokenFor(key, { aud }))).status).toBe(400)
  })

  test('may have 255 characters of any alphabet', async () => {
    const key = await makeKey({ audience: '中'.repeat(200) + randomUUID() })
    expect((await exchange(api, tokenFor(key))).status).toBe(200)
  })

  test('409 conflict while another organization’s key of the issuer has it, also disabled', async () => {
    const audience = fresh()
    const first = await makeKey({ audience })
    await first.call('patch', `/api-keys/${first.id}`, { body: { enabled: false } })
    const second = await makeKey({})
    expect(refusalOf(await create(second, { audience }))).toMatchObject(taken)
    expect((await create(second, { audience, issuer: 'https://b.example' })).status).toBe(201)
    expect((await create(second, { audience: `${audience}/` })).status).toBe(201)
  })

  test.each<[string, (key: Key) => Promise<unknown>]>([
    ['is revoked', ({ call, id }) => call('delete', `/api-keys/${id}`)],
    [
      'has expired',
      ({ id }) =>
        api.database.pool.query(`UPDATE api_keys SET expires_at = now() WHERE id = $1`, [id]),
    ],
  ])('leads to a new key after the old one %s', async (_, end) => {
    const audience = fresh()
    const old = await makeKey({ audience })
    await end(old)
    const key = await makeKey({ audience })
    expect((await exchange(api, tokenFor(key))).status).toBe(200)
    expect(await exchangesOf(key)).toHaveLength(1)
    expect(await exchangesOf(old)).toEqual([])
  })

  test('409 conflict for the URL with the id of another key of the issuer, until that is revoked', async () => {
    const first = await makeKey({})
    const second = await makeKey({})
    const { audience } = first
    expect(refusalOf(await create(second, { audience }))).toMatchObject(taken)
    await first.call('delete', `/api-keys/${first.id}`)
    const key = await makeKey({ audience })
    expect((await exchange(api, tokenFor(key))).status).toBe(200)
    expect(await exchangesOf(key)).toHaveLength(1)
  })

  test('race: of 6 concurrent creations with one audience on two processes, one succeeds, also after a revocation', async () => {
    const key = await makeKey({})
    const audience = fresh()
    const createAll = async () => {
      const all = await Promise.all(Array.from({ length: 6 }, () => create(key, { audience })))
      expect(all.map(({ status }) => status).toSorted()).toEqual([201, ...Array(5).fill(409)])
      return all.find(({ status }) => status === 201)!.body.key.id as string
    }
    const id = await createAll()
    await key.call('delete', `/api-keys/${id}`)
    await createAll()
  })

  test('a token of another issuer is audited with its cause for the only key with the audience', async () => {
    const audience = fresh()
    const key = await makeKey({ audience })
    const iss = 'https://other.example'
    expect((await exchange(api, tokenFor(key, { iss }))).status).toBe(400)
    expect(await exchangesOf(key)).toMatchObject([{ details: { cause: 'issuer', issuer: iss } }])
    await makeKey({ audience, issuer: 'https://b.example' })
    expect((await exchange(api, tokenFor(key, { iss }))).status).toBe(400)
    expect(await exchangesOf(key)).toHaveLength(1)
  })

  test.each(['\0', '\ud800', 'a'.repeat(4_000)])(
    '400 for an audience and an issuer that PostgreSQL cannot look up',
    async (text) => {
      const token = tokenFor({ audience: text }, { iss: text })
      expect((await exchange(api, token)).status).toBe(400)
    },
  )
})

describe('the 422 of conditions has one message per fault', () => {
  test.each<[unknown, string]>([
    ['x'.repeat(1_025), 'must NOT have more than 1024 characters'],
    ['', 'must NOT have fewer than 1 characters'],
    [12, 'must be string or array'],
    [null, 'must be string or array'],
    [['a', 12], 'must be string'],
    [[], 'must NOT have fewer than 1 items'],
  ])('%j', async (value, message) => {
    const key = await makeKey({})
    const { status, body } = await create(key, { conditions: { a: value } })
    expect({ status, errors: body.errors }).toEqual({
      status: 422,
      errors: [{ pointer: expect.stringMatching(/^\/workload\/conditions\/a/), message }],
    })
  })
})
