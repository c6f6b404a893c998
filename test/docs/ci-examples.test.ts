import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { root } from '../../tools/run.ts'
import { auditOf } from '../../apps/api/test/support/webhooks.ts'
import { GitHubRunner, runGitLabJob } from '../support/ci-runners.ts'
import {
  startGitHub,
  startGitLab,
  type GitHubService,
  type GitLabService,
} from '../support/ci-services.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { useStack } from '../support/stack.ts'

const stack = useStack()
const repository = `${root}examples/ci/github`
const workflow = '.github/workflows/deploy.yml'
const gitlabFile = `${root}examples/ci/gitlab/.gitlab-ci.yml`
const tokenPattern = /hctl_[a-z2-7]{12}_[0-9A-Za-z]{38}/g

let url: string
let github: GitHubService
let gitlab: GitLabService
beforeAll(async () => {
  ;[github, gitlab] = await Promise.all([startGitHub(), startGitLab()])
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  await stack.startApi({ PORT: String(port), PUBLIC_URL: url })
})
afterAll(() => Promise.all([github.close(), gitlab.close()]))

/** Creates a workload key of a new organization. */
async function makeKey(issuer: string, conditions: object) {
  const tenant = await stack.api.makeTenant()
  const call = callWith(stack.api, await makeSignedIn(stack.api, tenant))
  const workload = { issuer, conditions }
  const body = { name: 'Deploy', kind: 'organization', scopes: ['sites:write'], workload }
  const { id } = (await call('post', '/api-keys', { body })).body.key as { id: string }
  const exchanges = async () =>
    (await auditOf(stack.api, tenant.id)).filter(({ action }) => action.startsWith('api_key.e'))
  const { pool } = stack.database
  const tokensLeft = async () =>
    (await pool.query('SELECT FROM api_key_secrets WHERE key_id = $1', [id])).rowCount
  return { id, exchanges, tokensLeft, variables: { HCTL_URL: url, HCTL_KEY_ID: id } }
}

describe('examples/ci/github', () => {
  const run = (variables: Record<string, string>) =>
    new GitHubRunner(repository, github.variables).run(workflow, 'deploy', variables)

  test('calls the API with a token, never shows the token, and ends it', async () => {
    const key = await makeKey(github.url, { repository_id: '1234', ref: 'refs/heads/main' })
    const { succeeded, log } = await run(key.variables)
    expect(log).toContain(key.id)
    expect(log).toContain('The token has ended.')
    expect({ succeeded, shown: log.match(tokenPattern) }).toEqual({ succeeded: true, shown: null })
    expect(log).not.toMatch(/eyJ[\w-]+\./)
    expect(await key.exchanges()).toMatchObject([
      { action: 'api_key.exchange', details: { subject: 'repo:acme/site:ref:refs/heads/main' } },
      { action: 'api_key.end_token' },
    ])
    expect(await key.tokensLeft()).toBe(0)
  })

  test('fails in another repository before it calls the API', async () => {
    const key = await makeKey(github.url, { repository_id: '5678' })
    const { succeeded, log } = await run(key.variables)
    expect(succeeded).toBe(false)
    expect(log).toContain('Last exchanges')
    expect(log).not.toContain('The token has ended.')
    expect(await key.exchanges()).toMatchObject([{ outcome: 'refused' }])
  })
})

describe('examples/ci/gitlab', () => {
  const run = (variables: Record<string, string>, claims: object = {}) =>
    runGitLabJob(gitlabFile, 'deploy', {
      variables: { ...gitlab.variables, ...variables },
      idToken: (audience) => gitlab.idToken(audience, claims as Record<string, unknown>),
    })

  test('calls the API with a token, never shows the token, and ends it', async () => {
    const conditions = { project_id: '20', ref: 'main', ref_type: 'branch' }
    const key = await makeKey(gitlab.url, conditions)
    const { succeeded, log } = await run(key.variables)
    expect(log).toContain(key.id)
    expect(log).toContain('The token has ended.')
    expect({ succeeded, shown: log.match(tokenPattern) }).toEqual({ succeeded: true, shown: null })
    expect(await key.exchanges()).toMatchObject([
      { details: { subject: 'project_path:acme/site:ref_type:branch:ref:main' } },
      { action: 'api_key.end_token' },
    ])
    expect(await key.tokensLeft()).toBe(0)
  })

  test('fails on another branch before it calls the API', async () => {
    const key = await makeKey(gitlab.url, { project_id: '20', ref: 'main' })
    const { succeeded, log } = await run(key.variables, { ref: 'dev' })
    expect(succeeded).toBe(false)
    expect(log).not.toContain('The token has ended.')
  })
})

describe('/docs/ci', () => {
  test.each([
    'github/.github/actions/hosting-token/action.yml',
    'github/.github/workflows/deploy.yml',
    'gitlab/.gitlab-ci.yml',
  ])('shows examples/ci/%s unchanged', (file) => {
    const guide = readFileSync(`${root}docs/ci.md`, 'utf8')
    const example = readFileSync(`${root}examples/ci/${file}`, 'utf8')
    expect(guide).toContain(`\`\`\`yaml\n${example}\`\`\``)
  })

  test('its request exchanges an identity token', async () => {
    const guide = readFileSync(`${root}docs/ci.md`, 'utf8')
    const [, members] = /auth\/token" \\\n([^]*?)\n```/.exec(guide)!
    const form = new URLSearchParams(
      [...members!.matchAll(/--data-urlencode (\w+)([=@])(\S+)/g)].map(([, name, sign, text]) => [
        name!,
        sign === '=' ? text! : gitlab.idToken(`${url}/workloads/aaaaaaaaaaaa`),
      ]),
    )
    const response = await fetch(`${url}/api/v1/auth/token`, { method: 'POST', body: form })
    // Its members are accepted, and its audience is that of no key.
    expect(await response.json()).toMatchObject({ error: 'invalid_grant' })
    const key = await makeKey(gitlab.url, { project_id: '20' })
    form.set('subject_token', gitlab.idToken(`${url}/workloads/${key.id}`))
    const exchanged = await fetch(`${url}/api/v1/auth/token`, { method: 'POST', body: form })
    const { access_token: token } = (await exchanged.json()) as { access_token: string }
    expect((await stack.api.call('get', '/auth/me', { token })).status).toBe(200)
  })
})
