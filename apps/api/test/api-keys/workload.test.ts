import { describe, expect, test } from '@jest/globals'
import { useApi } from '../../../../test/support/api.ts'
import { behindProxy } from '../support/device.ts'
import { invalid, refusalOf } from '../support/refusals.ts'
import { exchange, makeWorkloadKey, useIssuer } from '../support/workloads.ts'

const api = useApi(behindProxy)
const issuer = useIssuer()

const tokenFor = ({ audience }: { audience: string }, claims: object = {}): string =>
  issuer.sign({ aud: audience, repository_id: '1234', ...claims })

describe('a workload key', () => {
  test('has no token, and shows its exchange settings', async () => {
    const { id, call } = await makeWorkloadKey(api, issuer)
    const { body } = await call('get', `/api-keys/${id}`)
    expect(body.key).toMatchObject({
      kind: 'organization',
      source: 'workload',
      status: 'active',
      previous_secret_expires_at: null,
      workload: {
        issuer: issuer.url,
        conditions: { repository_id: '1234' },
        token_lifetime_seconds: 900,
        single_use: false,
        audience: expect.stringMatching(new RegExp(`^http://localhost:\\d+/workloads/${id}$`)),
      },
    })
  })

  test.each<[string, object, string]>([
    ['a personal key', { kind: 'personal' }, '/workload'],
    [
      'an issuer that is no URL',
      { workload: { issuer: 'github', conditions: { a: 'b' } } },
      '/workload/issuer',
    ],
    [
      'a name that can be registered again',
      {
        workload: {
          issuer: 'https://token.actions.githubusercontent.com',
          conditions: { repository: 'acme/site' },
        },
      },
      '/workload/conditions',
    ],
    [
      'no conditions',
      { workload: { issuer: 'https://a.example', conditions: {} } },
      '/workload/conditions',
    ],
    [
      'a misplaced asterisk',
      { workload: { issuer: 'https://a.example', conditions: { sub: 'short7c*' } } },
      '/workload/conditions/sub',
    ],
    [
      'a condition that is no string',
      { workload: { issuer: 'https://a.example', conditions: { id: 12 } } },
      '/workload/conditions/id',
    ],
    [
      'a claim with a line break whose condition is no string',
      { workload: { issuer: 'https://a.example', conditions: { 'a\nb': 12 } } },
      '/workload/conditions/a\nb',
    ],
    [
      'a claim with a NUL character',
      { workload: { issuer: 'https://a.example', conditions: { 'a\0': 'b' } } },
      '/workload/conditions/a\0',
    ],
    [
      'a claim that is no Unicode',
      { workload: { issuer: 'https://a.example', conditions: { '\ud800': 'b' } } },
      '/workload/conditions/\ud800',
    ],
    [
      'a claim that a JavaScript object drops',
      { workload: { issuer: 'https://a.example', conditions: { ['__proto__']: 'b' } } },
      '/workload/conditions/__proto__',
    ],
    [
      'a claim without a name',
      { workload: { issuer: 'https://a.example', conditions: { '': 'b' } } },
      '/workload/conditions',
    ],
    [
      'a claim of more than 255 characters',
      { workload: { issuer: 'https://a.example', conditions: { ['a'.repeat(256)]: 'b' } } },
      '/workload/conditions',
    ],
    [
      'a lifetime over an hour',
      {
        workload: {
          issuer: 'https://a.example',
          conditions: { a: 'b' },
          token_lifetime_seconds: 3_601,
        },
      },
      '/workload/token_lifetime_seconds',
    ],
    ['null', { workload: null }, '/workload'],
    [
      'an issuer with a line break at the end',
      { workload: { issuer: 'https://a.example\n', conditions: { a: 'b' } } },
      '/workload/issuer',
    ],
    [
      'a value of 1,025 characters',
      { workload: { issuer: 'https://a.example', conditions: { a: 'b'.repeat(1_025) } } },
      '/workload/conditions/a',
    ],
    [
      'an empty value in a list',
      { workload: { issuer: 'https://a.example', conditions: { a: ['b', ''] } } },
      '/workload/conditions/a/1',
    ],
    [
      'no values',
      { workload: { issuer: 'https://a.example', conditions: { a: [] } } },
      '/workload/conditions/a',
    ],
    [
      '21 values',
      { workload: { issuer: 'https://a.example', conditions: { a: Array(21).fill('b') } } },
      '/workload/conditions/a',
    ],
    [
      'a pointer that is none',
      { workload: { issuer: 'https://a.example', conditions: { '/a~2': 'b' } } },
      '/workload/conditions/~1a~02',
    ],
    [
      'an empty audience',
      { workload: { issuer: 'https://a.example', conditions: { a: 'b' }, audience: '' } },
      '/workload/audience',
    ],
    [
      'an audience of 256 characters',
      {
        workload: {
          issuer: 'https://a.example',
          conditions: { a: 'b' },
          audience: 'a'.repeat(256),
        },
      },
      '/workload/audience',
    ],
    [
      'a choice that is no boolean',
      { workload: { issuer: 'https://a.example', conditions: { a: 'b' }, single_use: 'no' } },
      '/workload/single_use',
    ],
  ])('is refused for %s', async (_what, fields, pointer) => {
    const { call } = await makeWorkloadKey(api, issuer)
    const refused = await call('post', '/api-keys', {
      body: {
        name: 'deploy',
        kind: 'organization',
        scopes: ['sites:read'],
        workload: { issuer: issuer.url, conditions: { a: 'b' } },
        ...fields,
      },
    })
    expect(refusalOf(refused)).toEqual(invalid(pointer))
  })

  test('409 conflict if it is rotated', async () => {
    const { id, call } = await makeWorkloadKey(api, issuer)
    expect(refusalOf(await call('post', `/api-keys/${id}/rotate`))).toMatchObject({
      status: 409,
      code: 'conflict',
    })
  })

  test('changing the conditions ends its tokens; the same conditions or another lifetime do not', async () => {
    const key = await makeWorkloadKey(api, issuer)
    const { access_token: token } = (await exchange(api, tokenFor(key))).body as {
      access_token: string
    }
    const change = (workload: object) =>
      key.call('patch', `/api-keys/${key.id}`, { body: { workload } })
    const status = async () => (await api.call('get', '/auth/me', { token })).status
    expect((await change({ conditions: { repository_id: '1234' } })).status).toBe(200)
    expect((await change({ token_lifetime_seconds: 60 })).status).toBe(200)
    expect(await status()).toBe(200)
    const changed = await change({ conditions: { repository_id: ['1234', '5678'] } })
    expect(changed.body.key.workload).toMatchObject({
      conditions: { repository_id: ['1234', '5678'] },
      token_lifetime_seconds: 60,
    })
    expect(await status()).toBe(401)
    const again = await exchange(api, tokenFor(key, { repository_id: 5678 }))
    expect(again.body.expires_in).toBe(60)
  })

  test.each([[null], [{}], [{ issuer: 'https://a.example' }], [{ audience: 'a' }]])(
    'PATCH with the workload %j is 422',
    async (workload) => {
      const { id, call } = await makeWorkloadKey(api, issuer)
      const refused = await call('patch', `/api-keys/${id}`, { body: { workload } })
      expect(refused.status).toBe(422)
    },
  )

  test('PATCH with a workload is 422 for another kind of key, and 403 api_key_not_allowed if a key sends it', async () => {
    const { id, call } = await makeWorkloadKey(api, issuer)
    const body = { workload: { token_lifetime_seconds: 60 } }
    const ordinary = await call('post', '/api-keys', {
      body: { name: 'other', kind: 'organization', scopes: ['*'] },
    })
    const onOrdinary = await call('patch', `/api-keys/${ordinary.body.key.id}`, { body })
    expect(refusalOf(onOrdinary)).toEqual(invalid('/workload'))
    const byKey = await api.call('patch', `/api-keys/${id}`, { token: ordinary.body.token, body })
    expect(refusalOf(byKey)).toMatchObject({ status: 403, code: 'api_key_not_allowed' })
  })
})
