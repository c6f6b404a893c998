import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readFileSync } from 'node:fs'
import {
  startGitHub,
  startGitLab,
  type GitHubService,
  type GitLabService,
} from '../../../test/support/ci-services.ts'
import { writeTemporary } from '../../../test/support/temporary-folder.ts'
import { documentOf, failureOf } from './support/hctl.ts'
import { useSignedInMachine } from './support/sign-in.ts'

const user = useSignedInMachine()
const hctl: typeof user.hctl = (...given) => user.hctl(...given)
let github: GitHubService
let gitlab: GitLabService
beforeAll(async () => {
  ;[github, gitlab] = await Promise.all([startGitHub(), startGitLab()])
})
afterAll(async () => {
  await Promise.all([github.close(), gitlab.close()])
})

const tokenPattern = /^hctl_[a-z2-7]{12}_[0-9A-Za-z]{38}$/

/** Creates a workload key with hctl. */
async function createKey(...words: string[]): Promise<{ id: string; audience: string }> {
  const create = ['keys', 'create', '--json', '--name', 'ci', '--scope', 'sites:read']
  const { key } = documentOf(await hctl([...create, ...words]))
  return { id: key.id, audience: key.workload.audience }
}
const makeGitHubKey = () => createKey('--issuer', github.url, '--github-repository', '1234')
const makeGitLabKey = () => createKey('--issuer', gitlab.url, '--gitlab-project', '20')
const me = async (token: string) =>
  documentOf(await hctl('whoami --json', { env: { HCTL_TOKEN: token } }))

describe('hctl token exchange in GitHub Actions', () => {
  test('asks the runner for an identity token, prints the token and masks it in the log', async () => {
    const { id, audience } = await makeGitHubKey()
    const { code, stdout, stderr } = await hctl(`token exchange --audience ${audience}`, {
      env: github.variables,
    })
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\S+\n$/) })
    const token = stdout.trim()
    expect(token).toMatch(tokenPattern)
    expect(stderr).toContain(`::add-mask::${token}\n`)
    expect(stderr).toContain('The token expires in 900 s.')
    expect((await me(token)).key).toMatchObject({ id, source: 'workload' })
  })

  test('--export passes the token on to the next steps, and prints it only to mask it', async () => {
    const { id, audience } = await makeGitHubKey()
    const file = writeTemporary('github-env', 'EARLIER=1\n')
    const { stdout, stderr } = await hctl(`token exchange --audience ${audience} --export`, {
      env: { ...github.variables, GITHUB_ENV: file },
    })
    const [, token] = /^EARLIER=1\nHCTL_TOKEN=(\S+)\nHCTL_URL=(\S+)\n$/.exec(
      readFileSync(file, 'utf8'),
    )!
    expect(token).toMatch(tokenPattern)
    expect(stdout).toBe('The next steps have HCTL_TOKEN and HCTL_URL.\n')
    expect(stderr.replaceAll(/^::add-mask::.*$/gm, '')).not.toContain(token)
    expect((await me(token!)).key.id).toBe(id)
  })

  test('--key asks for the audience of the key at the service in use', async () => {
    await hctl('token exchange --key aaaaaaaaaaaa', { env: github.variables })
    const { path } = github.requests.findLast((request) => request.path.startsWith('/runner/'))!
    expect(new URL(path, github.url).searchParams.get('audience')).toBe(
      `${user.api.url}/workloads/aaaaaaaaaaaa`,
    )
  })

  test('exits with 2 without permission for identity tokens, and says what the job needs', async () => {
    const env = { GITHUB_ACTIONS: 'true' }
    const refused = await hctl('token exchange --key aaaaaaaaaaaa', { env })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('permissions: { id-token: write }')
  })

  test('exits with 2 without a key, because the runner needs an audience', async () => {
    const refused = await hctl('token exchange --json', { env: github.variables })
    expect(failureOf(refused)).toEqual({ exit: 2, code: 'usage' })
  })

  test('exits with 1 if the runner refuses', async () => {
    const env = { ...github.variables, ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'wrong' }
    const refused = await hctl('token exchange --key aaaaaaaaaaaa --json', { env })
    expect(failureOf(refused)).toEqual({ exit: 1, code: 'no_identity_token' })
  })

  test('exits with 1 if the conditions do not match, and says where to find the reason', async () => {
    const { audience } = await createKey('--issuer', github.url, '--github-repository', '5678')
    const refused = await hctl(`token exchange --audience ${audience}`, {
      env: github.variables,
    })
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('Last exchanges')
  })

  test('retries with another identity token while the issuer is unavailable', async () => {
    const { audience } = await makeGitHubKey()
    let tries = 0
    const lost: typeof fetch = async (input, init) => {
      const url = input instanceof Request ? input.url : String(input)
      if (!url.endsWith('/oauth/token') || ++tries > 2) return fetch(input, init)
      if (tries === 1) throw new TypeError('the connection was lost')
      const problem = { code: 'service_unavailable', title: 'Unavailable', status: 503 }
      const headers = { 'content-type': 'application/problem+json', 'retry-after': '5' }
      return new Response(JSON.stringify(problem), { status: 503, headers })
    }
    const done = await hctl(`token exchange --audience ${audience}`, {
      env: github.variables,
      fetch: lost,
      hurry: true,
    })
    expect({ code: done.code, tries }).toEqual({ code: 0, tries: 3 })
    expect(user.machine.sleeps.slice(-2)).toEqual([2_000, 5_000])
  })
})

describe('hctl token exchange in GitLab', () => {
  test('takes the variable, and prints lines for eval with --export', async () => {
    const { id, audience } = await makeGitLabKey()
    const env = { ...gitlab.variables, HCTL_ID_TOKEN: gitlab.idToken(audience) }
    const { stdout, stderr } = await hctl('token exchange --export', { env })
    const [, token, url] = /^export HCTL_TOKEN='(\S+)'\nexport HCTL_URL='(\S+)'\n$/.exec(stdout)!
    expect(url).toBe(user.api.url)
    expect(stderr).not.toContain(token)
    expect((await me(token!)).key.id).toBe(id)
  })

  test('exits with 2 without the variable, and says what the job needs', async () => {
    const refused = await hctl('token exchange', { env: gitlab.variables })
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('id_tokens with HCTL_ID_TOKEN')
  })
})

describe('hctl token exchange elsewhere', () => {
  test('reads a file or standard input', async () => {
    const { audience } = await makeGitLabKey()
    const file = writeTemporary('identity-token', `${gitlab.idToken(audience)}\n`)
    const fromFile = await hctl(['token', 'exchange', '--file', file, '--json'])
    expect(documentOf(fromFile)).toMatchObject({ token_type: 'Bearer', expires_in: 900 })
    const stdin = gitlab.idToken(audience)
    const fromInput = await hctl('token exchange --file - --json', { stdin })
    expect(documentOf(fromInput).access_token).toMatch(tokenPattern)
  })

  test('exits with 2 without an identity token', async () => {
    expect(failureOf(await hctl('token exchange --json'))).toEqual({
      exit: 2,
      code: 'no_identity_token',
    })
    const missing = await hctl('token exchange --file /nothing/here --json')
    expect(failureOf(missing)).toEqual({ exit: 2, code: 'usage' })
  })
})

describe('hctl token revoke', () => {
  test('ends the token and keeps the key', async () => {
    const { id, audience } = await makeGitLabKey()
    const exchange = async (): Promise<string> => {
      const env = { HCTL_ID_TOKEN: gitlab.idToken(audience) }
      return (await hctl('token exchange', { env })).stdout.trim()
    }
    const [one, two] = [await exchange(), await exchange()]
    const ended = await hctl('token revoke --json', { env: { HCTL_TOKEN: one } })
    expect(documentOf(ended)).toEqual({ key_id: id, status: 'ended' })
    expect((await hctl('whoami', { env: { HCTL_TOKEN: one } })).code).toBe(3)
    expect((await me(two)).key.id).toBe(id)
  })

  test('exits with 2 for a token of another key, and for a stored sign-in', async () => {
    const { token } = await user.tenant.makeKey()
    const other = await hctl('token revoke --json', { env: { HCTL_TOKEN: token } })
    expect(failureOf(other)).toEqual({ exit: 2, code: 'usage' })
    expect((await me(token)).key.status).toBe('active')
    expect(failureOf(await hctl('token revoke --json'))).toEqual({ exit: 2, code: 'usage' })
  })
})
