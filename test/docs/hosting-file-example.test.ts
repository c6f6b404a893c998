import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { freePort } from '../../tools/local-stack/free-port.ts'
import { root } from '../../tools/run.ts'
import { makeMachine } from '../../apps/cli/test/support/hctl.ts'
import { GitHubRunner } from '../support/ci-runners.ts'
import { startGitHub, type GitHubService } from '../support/ci-services.ts'
import { callWith, makeSignedIn } from '../support/session.ts'
import { useStack } from '../support/stack.ts'

const stack = useStack()
const repository = `${root}examples/hosting-file`

let url: string
let github: GitHubService
beforeAll(async () => {
  github = await startGitHub()
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  await stack.startApi({ PORT: String(port), PUBLIC_URL: url })
})
afterAll(() => github.close())

test('the example repository keeps the organization equal to its file with a workload key', async () => {
  const call = callWith(stack.api, await makeSignedIn(stack.api, await stack.api.makeTenant()))
  const make = async (scopes: string[], workload?: object) => {
    const body = { name: 'Hosting', kind: 'organization', scopes, workload }
    return (await call('post', '/api-keys', { body })).body as KeyAndToken
  }
  const variables = { BILLING_HOOK_TOKEN: randomUUID() }
  const machine = await makeMachine({ HCTL_URL: url, ...variables })
  const env = { HCTL_TOKEN: (await make(['*'])).token }
  const byHand = await machine.hctl(`apply --file ${repository}/hosting.yaml`, { env })
  expect(byHand.stdout).toContain('✓ keys backup/nightly created')
  const path = '/webhooks?external_id=billing/production'
  const [{ id: webhook }] = (await call('get', path)).body.items
  await call('delete', `/webhooks/${webhook}`)

  const conditions = { repository_id: '1234' }
  const scopes = ['webhooks:write', 'apikeys:read']
  const { id } = (await make(scopes, { issuer: github.url, conditions })).key
  const runner = new GitHubRunner(repository, github.variables, variables)
  const run = () =>
    runner.run('.github/workflows/hosting.yml', 'apply', { HCTL_URL: url, HCTL_KEY_ID: id })
  const first = await run()
  expect(first.log).toContain('✓ webhooks billing/production created')
  expect(first.log).toContain('The token has ended.')
  const shown = /whsec_|hctl_[a-z2-7]{12}_|\*\*\*/
  expect(first).toMatchObject({ succeeded: true, log: expect.not.stringMatching(shown) })
  expect((await call('get', path)).body.items).toMatchObject([{ header_names: ['x-hook-token'] }])
  const log = expect.stringContaining('Nothing to change.')
  expect(await run()).toMatchObject({ succeeded: true, log })
})

interface KeyAndToken {
  readonly key: { readonly id: string }
  readonly token: string
}

test.each(['hosting.yaml', '.github/workflows/hosting.yml'])(
  '/docs/cli shows %s of the example unchanged',
  (file) => {
    const guide = readFileSync(`${root}docs/generated/cli.md`, 'utf8')
    expect(guide).toContain(readFileSync(`${repository}/${file}`, 'utf8').trimEnd())
  },
)
