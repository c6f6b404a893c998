import { exactDocument, publicRoutes } from '@hosting/api'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { publish } from '../../apps/api/test/support/events.ts'
import { useApi, type TestTenant } from '../support/api.ts'
import { callWith, makePerson, makeSession, makeSignedIn } from '../support/session.ts'

const run = promisify(execFile)
const version = '4.32.5'
const environment = new URL('../../.cache/schemathesis/', import.meta.url).pathname
const examples = process.env['SCHEMATHESIS_EXAMPLES'] ?? '10'
const seconds = process.env['SCHEMATHESIS_SECONDS'] ?? '20'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.0/8' })

type Headers = Readonly<Record<string, string>>

/** The device login responds to an unknown code with 400 (RFC 8628, section 3.5). */
const configuration = `
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "401", "403", "404", "409", "429", "503"]
`

const bearer = (token: string): Headers => ({ Authorization: `Bearer ${token}` })

/** Operations that end the credential of the call, each with a function that makes one for a single call. */
const makers: Readonly<
  Record<string, (tenant: TestTenant) => Promise<{ headers: Headers; path: Headers }>>
> = {
  async 'api-keys.revoke'(tenant) {
    const { id, token } = await tenant.makeKey()
    return { headers: bearer(token), path: { id } }
  },
  /** A stream ends with its key. */
  async 'webhooks.listen'(tenant) {
    const { token } = await tenant.makeKey({ expiresAt: new Date(Date.now() + 500) })
    return { headers: bearer(token), path: {} }
  },
  'auth.session.delete': async (tenant) => ({ headers: await signedIn(tenant), path: {} }),
  'auth.password': async (tenant) => ({ headers: await signedIn(tenant), path: {} }),
  async 'auth.sessions.revoke'(tenant) {
    const person = await makePerson(api, tenant)
    const { cookie, csrfToken } = await makeSession(api, person.id)
    const { id } = await makeSession(api, person.id)
    return { headers: { Cookie: cookie, 'X-CSRF-Token': csrfToken }, path: { id } }
  },
}

async function signedIn(tenant: TestTenant): Promise<Headers> {
  const { cookie, csrfToken } = await makeSignedIn(api, tenant)
  return { Cookie: cookie, 'X-CSRF-Token': csrfToken }
}

/** Makes credentials for the hooks, which run inside schemathesis. Each belongs to an organization of its own. */
const maker = createServer((req, res) => {
  const make = makers[req.url!.slice(1)]!
  void api
    .makeTenant()
    .then(make)
    .then((made) => res.end(JSON.stringify(made)))
    .catch((error: unknown) => res.writeHead(500).end(String(error)))
})
beforeAll(() => new Promise<void>((resolve) => maker.listen(0, '127.0.0.1', resolve)))
afterAll(() => void maker.close())

/** Installs schemathesis once. */
async function install(): Promise<string> {
  const program = `${environment}bin/schemathesis`
  if (!existsSync(program)) {
    await run('python3', ['-m', 'venv', environment])
    await run(`${environment}bin/pip`, ['install', '--quiet', `schemathesis==${version}`])
  }
  return program
}

/** The exact document: valid requests of the published one may be refused. */
async function writeDocument(): Promise<string> {
  const document = `${environment}document.json`
  await writeFile(document, JSON.stringify(exactDocument(publicRoutes)))
  return document
}

/**
 * Runs schemathesis against the running API; returns its output if it found an error.
 *
 * @param tenant - the callers' organization.
 * @param callers - the headers of the callers. Calls use them in turn.
 * @param spending - the operations whose calls need a credential that is used once.
 */
async function findErrors(
  tenant: TestTenant,
  callers: readonly Headers[],
  spending: readonly string[],
  more: readonly string[] = [],
): Promise<string> {
  const program = await install()
  await mkdir(environment, { recursive: true })
  const settings = `${environment}schemathesis.toml`
  await writeFile(settings, configuration)
  const document = await writeDocument()
  // In a file, because every user of the machine can see the headers on a command line.
  const callersFile = `${environment}callers.json`
  const { port } = maker.address() as AddressInfo
  const base = `${api.url}/api/v1`
  const accounts = [await tenant.makeAccount()]
  const given = { callers, spending, accounts, base, maker: `http://127.0.0.1:${port}` }
  await writeFile(callersFile, JSON.stringify(given), { mode: 0o600 })
  const parameters = [
    '--config-file',
    settings,
    'run',
    document,
    '--url',
    base,
    '--phases',
    'examples,coverage,fuzzing',
    '--max-examples',
    examples,
    '--max-time',
    seconds,
    '--checks',
    'not_a_server_error,status_code_conformance,response_schema_conformance',
    '--checks',
    'content_type_conformance,positive_data_acceptance',
    '--mode',
    'positive',
    '--seed',
    '1',
    '--generation-deterministic',
    '--no-color',
    '--suppress-health-check',
    'all',
    ...more,
  ]
  try {
    await run(program, parameters, {
      cwd: environment,
      maxBuffer: 2 ** 26,
      env: {
        ...process.env,
        SCHEMATHESIS_HOOKS: 'schemathesis_hooks',
        SCHEMATHESIS_CALLERS: callersFile,
        PYTHONPATH: new URL('.', import.meta.url).pathname,
      },
    })
    return ''
  } catch (error) {
    return (error as { stdout?: string }).stdout || String(error)
  }
}

test('a key: no valid request is refused, no status is undocumented, and nothing fails', async () => {
  const tenant = await api.makeTenant()
  const keys = []
  for (let made = 0; made < 20; made++) keys.push(await tenant.makeKey())
  const [{ token } = { token: '' }] = keys
  const call = callWithKey(token)
  const hook = { url: 'http://127.0.0.1:9/in', events: ['*'] }
  for (let made = 0; made < 2; made++) await call('post', '/webhooks', { body: hook })
  for (let made = 0; made < 2; made++) await publish(api, tenant.id)
  const callers = keys.map((key) => bearer(key.token))
  expect(await findErrors(tenant, callers, ['api-keys.revoke', 'webhooks.listen'])).toBe('')
  // A valid call may have ended some of the keys: an update can let one expire.
  const responses = keys.map((key) => callWithKey(key.token)('get', '/auth/me'))
  expect((await Promise.all(responses)).map(({ status }) => status)).toContain(200)
}, 240_000)

const callWithKey =
  (token: string): typeof api.call =>
  (verb, path, options = {}) =>
    api.call(verb, path, { ...options, token })

test('a session: no valid request is refused, no status is undocumented, and nothing fails', async () => {
  const tenant = await api.makeTenant()
  const person = await makePerson(api, tenant)
  const sessions = [await makeSession(api, person.id), await makeSession(api, person.id)]
  const callers = sessions.map(({ cookie, csrfToken }) => ({
    Cookie: cookie,
    'X-CSRF-Token': csrfToken,
  }))
  const spending = ['auth.session.delete', 'auth.sessions.revoke', 'auth.password']
  // Only an authenticator can make a valid passkey.
  const paths = ['--include-path-regex', '^/(auth(?!/factors/passkeys$)|api-keys)']
  expect(await findErrors(tenant, callers, spending, paths)).toBe('')
  const responses = sessions.map((session) => callWith(api, session)('get', '/auth/session'))
  expect((await Promise.all(responses)).map(({ status }) => status)).toContain(200)
}, 240_000)
