import { describe, expect, test } from '@jest/globals'
import request from 'supertest'
import { useApi } from '../../../../test/support/api.ts'
import { freshAddress } from '../support/addresses.ts'
import { behindProxy } from '../support/device.ts'
import {
  exchange,
  grantType,
  problemOf,
  tokenType,
  useIssuer,
  workloadsOf,
} from '../support/workloads.ts'

const api = useApi(behindProxy)
const issuer = useIssuer()

const { makeKey, tokenFor } = workloadsOf(api, issuer)
const post = () =>
  request(api.url).post('/api/v1/auth/token').set({ 'x-forwarded-for': freshAddress() })
const bodyLengthMax = 16_384

/** The members of an exchange. */
const membersOf = (token: string) => ({
  grant_type: grantType,
  subject_token: token,
  subject_token_type: tokenType,
})

const invalidRequest = { status: 400, code: 'invalid_request', error: 'invalid_request' }

describe('a body of POST /auth/token', () => {
  test('may be a form; credentials, cookies and an Idempotency-Key are ignored, and caching is forbidden', async () => {
    const key = await makeKey()
    const { status, headers } = await post()
      .set({ authorization: 'Bearer nonsense', cookie: 'session=x', 'idempotency-key': 'é' })
      .type('form')
      .send({
        ...membersOf(tokenFor(key)),
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        resource: 'anything',
      })
    expect({ status, caching: headers['cache-control'] }).toEqual({
      status: 200,
      caching: 'no-store',
    })
  })

  test.each<[string, string]>([
    ['a missing member', `grant_type=${grantType}&subject_token=a`],
    ['an empty member', `grant_type=&subject_token=a&subject_token_type=${tokenType}`],
    ['a member twice', `grant_type=a&grant_type=b&subject_token=a&subject_token_type=${tokenType}`],
    [
      'a token twice',
      `grant_type=${grantType}&subject_token=a&subject_token=a&subject_token_type=${tokenType}`,
    ],
    ['another token type', `grant_type=${grantType}&subject_token=a&subject_token_type=saml2`],
    ['no members', 'a=b'],
  ])('400 invalid_request for a form with %s', async (_what, form) => {
    expect(problemOf(await post().type('form').send(form))).toEqual(invalidRequest)
  })

  test.each([
    ['a number', { subject_token: 12 }],
    ['an array', { grant_type: [grantType] }],
    ['null', { subject_token_type: null }],
  ])('400 invalid_request for %s in JSON', async (_what, changed) => {
    expect(problemOf(await exchange(api, 'a', changed))).toEqual(invalidRequest)
  })

  test.each([
    ['grant_type', '"grant_type": "a"'],
    ['subject_token', '"subject_token":"b"'],
    ['subject_token_type', '"subject\\u005ftoken_type" :null'],
  ])('400 invalid_request for %s twice in JSON', async (_what, member) => {
    const text = JSON.stringify(membersOf('a'))
    for (const json of [text.replace('{', `{${member},`), text.replace('}', `,${member}}`)]) {
      expect(problemOf(await post().type('json').send(json))).toEqual(invalidRequest)
    }
  })

  test('repeated names elsewhere in JSON are ignored', async () => {
    const key = await makeKey()
    const others = '"a":1,"a":{"grant_type":[{"grant_type":"\\":{","b":"}"}]},"c":"grant_type\\":"'
    const json = JSON.stringify(membersOf(tokenFor(key))).replace('{', `{${others},`)
    expect((await post().type('json').send(json)).status).toBe(200)
  })

  test.each(['[]', '[{"a":1,"a":2}]', '"x"', 'null', '12', ''])(
    '400 invalid_request for the JSON %j',
    async (json) => {
      expect(problemOf(await post().type('json').send(json))).toEqual(invalidRequest)
    },
  )

  test('400 malformed_json for a body that is not JSON', async () => {
    const malformed = { status: 400, code: 'malformed_json', error: 'malformed_json' }
    expect(problemOf(await post().type('json').send('{'))).toEqual(malformed)
  })

  test('ignores unknown members, whatever their values', async () => {
    const key = await makeKey()
    const others = { note: ['\0', '\ud800'], '\0': null }
    expect((await exchange(api, tokenFor(key), others)).status).toBe(200)
  })

  test.each([
    ['the grant type', { grant_type: '\0' }, 'unsupported_grant_type'],
    ['the type of the token', { subject_token_type: '\0' }, 'invalid_request'],
    ['the token', { subject_token: '\0' }, 'invalid_grant'],
  ])('400 for a NUL character in %s', async (_what, changed, code) => {
    expect(problemOf(await exchange(api, 'a', changed))).toMatchObject({ status: 400, code })
  })

  test.each(['a', ''])(
    '400 unsupported_grant_type whatever the other members are: %j',
    async (token) => {
      const refused = await exchange(api, token, { grant_type: 'client_credentials' })
      expect(problemOf(refused)).toMatchObject({ status: 400, code: 'unsupported_grant_type' })
    },
  )

  test('415 names both content types', async () => {
    const refused = await post().type('text').send('a=b')
    expect(problemOf(refused)).toMatchObject({ status: 415, error: 'unsupported_media_type' })
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      expect(refused.body.detail).toContain(type)
    }
  })

  test('errors are application/json with a description, whatever their status', async () => {
    const refusals = [
      await post().type('form').send('a=b'),
      await post().type('text').send('a=b'),
      await post()
        .type('form')
        .send(`a=${'a'.repeat(bodyLengthMax)}`),
      await post().type('json').send('{'),
    ]
    expect(refusals.map(({ status }) => status)).toEqual([400, 415, 413, 400])
    for (const { headers, body } of refusals) {
      expect(headers['content-type']).toBe('application/json')
      expect(body.error).toBe(body.code)
      expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
    }
  })

  test('has at most 16 KiB, as JSON and as a form, with any number of members', async () => {
    const key = await makeKey()
    const sizedJson = (length: number) => {
      const json = JSON.stringify(membersOf(tokenFor(key)))
      return json.replace('{', `{"a":"${'x'.repeat(length - json.length - 7)}",`)
    }
    const sizedForm = (length: number) =>
      `${new URLSearchParams(membersOf(tokenFor(key)))}&`.padEnd(length, 'a&')
    for (const [length, status] of [
      [bodyLengthMax, 200],
      [bodyLengthMax + 1, 413],
    ] as const) {
      const json = sizedJson(length)
      expect(json).toHaveLength(length)
      expect((await post().type('json').send(json)).status).toBe(status)
      expect((await post().type('form').send(sizedForm(length))).status).toBe(status)
    }
  })

  test('415 for other types', async () => {
    expect((await post().type('text/plain').send('a=b')).status).toBe(415)
  })
})
