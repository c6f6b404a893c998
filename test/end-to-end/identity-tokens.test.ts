import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { visitorOf } from '../panel/visitor.ts'
import { callerOf } from '../support/caller.ts'
import { startGitLab, type GitLabService } from '../support/ci-services.ts'
import { KnownSecrets } from '../support/known-secrets.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { useStack } from '../support/stack.ts'
import { dumpPostgres, dumpRedis } from '../support/store-dumps.ts'

const stack = useStack({ LOG_LEVEL: 'trace' })
let gitlab: GitLabService
beforeAll(async () => {
  gitlab = await startGitLab()
})
afterAll(() => gitlab.close())

const secrets = new KnownSecrets()
const personal = {
  user_login: secrets.note('the user of the job', 'ana-of-acme-login'),
  user_email: secrets.note('their address', 'ana-of-acme@mail.example'),
  jti: secrets.note('the id of the identity token', 'jti-6f1c2f6e-1d1f'),
  sha: secrets.note('the commit of the job', '714a629c0b401fdce83e847fc9589983fc6f46bc'),
}

/** Records an identity token, and each of its parts. */
function noteIdentityToken(what: string, token: string): string {
  const [, payload, signature] = token.split('.') as [string, string, string]
  secrets.note(`the payload of ${what}`, payload)
  secrets.note(`the signature of ${what}`, signature)
  return secrets.note(what, token)
}

test('PostgreSQL, Redis and the logs contain only the issuer and subject of an identity token', async () => {
  const service = await stack.startApi()
  const worker = await stack.startWorker()
  const { call } = callerOf(service)
  const person = await makeSignedIn(stack.api, await stack.api.makeTenant())
  const workload = { issuer: gitlab.url, conditions: { project_id: '20' }, single_use: true }
  const body = { name: 'Deploy', kind: 'organization', scopes: ['sites:read'], workload }
  const { key } = (await callWith(stack.api, person)('post', '/api-keys', { body })).body as {
    key: { id: string; workload: { audience: string } }
  }
  const sign = (what: string, claims: object = {}): string =>
    noteIdentityToken(
      what,
      gitlab.idToken(key.workload.audience, { ...personal, ...claims, nonce: what }),
    )
  const exchange = async (subjectToken: string) => {
    const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange'
    const subject_token_type = 'urn:ietf:params:oauth:token-type:id_token'
    const request = { grant_type, subject_token: subjectToken, subject_token_type }
    return call('post', '/auth/token', { body: request })
  }

  // Exchanged, exchanged again, and refused for every reason.
  const accepted = sign('an accepted token')
  const exchanged = await exchange(accepted)
  const token = secrets.noteToken('the key', exchanged.body.access_token as string)
  expect((await call('get', '/auth/me', { token })).status).toBe(200)
  const forged = accepted.replace(/[^.]+$/, 'AAAA')
  const refused = [
    accepted,
    forged,
    sign('an unmet condition', { project_id: '21' }),
    sign('an expired token', { exp: 1 }),
    sign('another issuer', { iss: 'https://other.example' }),
    sign('another audience', { aud: 'https://other.example' }),
    noteIdentityToken('nonsense', 'not-json.not-json-at-all.not-signed'),
  ]
  for (const each of refused) expect((await exchange(each)).status).toBe(400)

  // Tried in the panel, and pasted where it does not belong.
  const visitor = visitorOf({ url: `http://127.0.0.1:${service.port}` }, person)
  const tried = { do: 'try', identity_token: sign('a tried token') }
  const shown = await visitor.submit(`/keys/${key.id}/workload`, tried)
  expect(shown.text).toContain('This token would be accepted')
  await visitor.submit(`/keys/${key.id}/workload`, {
    do: 'try',
    identity_token: secrets.note('half a token', 'half-a-token.of-a-job'),
  })
  expect((await call('get', '/auth/me', { token: sign('a bearer') })).status).toBe(401)

  expect([await worker.stop(), await service.stop()]).toEqual([0, 0])
  const places = {
    PostgreSQL: await dumpPostgres(stack),
    Redis: await dumpRedis(stack),
    'the logs': [...service.lines, ...worker.lines].join('\n'),
  }
  expect(places.PostgreSQL).toContain('project_path:acme/site:ref_type:branch:ref:main')
  expect(places['the logs']).toContain('"operation":"auth.token"')
  const found = Object.entries(places).flatMap(([place, text]) =>
    secrets.findIn(text).map((what) => `${place}: ${what}`),
  )
  expect(found).toEqual([])
})
