import { expect, test } from '@jest/globals'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { useApi } from '../support/api.ts'
import { makeSignedIn } from '../support/session.ts'

const run = promisify(execFile)
const version = '4.32.5'
const environment = new URL('../../.cache/schemathesis/', import.meta.url).pathname
const examples = process.env['SCHEMATHESIS_EXAMPLES'] ?? '15'
const seconds = process.env['SCHEMATHESIS_SECONDS'] ?? '60'

const api = useApi({ TRUSTED_PROXIES: '127.0.0.0/8' })

/** The device login responds to an unknown code with 400 (RFC 8628, section 3.5). */
const checks = `
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "401", "403", "404", "409", "429", "503"]
`

/** Routes that end the credentials of the run, or stream without end. */
const excluded = [
  'auth.session.delete',
  'auth.sessions.revoke',
  'api-keys.revoke',
  'webhooks.listen',
]

/** Installs schemathesis once. */
async function install(): Promise<string> {
  const program = `${environment}bin/schemathesis`
  if (!existsSync(program)) {
    await run('python3', ['-m', 'venv', environment])
    await run(`${environment}bin/pip`, ['install', '--quiet', `schemathesis==${version}`])
  }
  return program
}

/** Runs schemathesis with the headers against the running API; returns its output if it found a fault. */
async function findFaults(
  headers: Readonly<Record<string, string>>,
  more: string[],
): Promise<string> {
  const program = await install()
  await mkdir(environment, { recursive: true })
  // In a file, because every user of the machine can see the headers on a command line.
  const settings = `${environment}schemathesis.toml`
  const lines = Object.entries(headers).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  await writeFile(settings, `[headers]\n${lines.join('\n')}\n${checks}`, { mode: 0o600 })
  const hooks = new URL('.', import.meta.url).pathname
  const parameters = [
    '--config-file',
    settings,
    'run',
    `${api.url}/api/v1/openapi.json`,
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
    ...excluded.flatMap((operation) => ['--exclude-operation-id', operation]),
    ...more,
  ]
  try {
    await run(program, parameters, {
      cwd: environment,
      maxBuffer: 2 ** 26,
      env: { ...process.env, SCHEMATHESIS_HOOKS: 'schemathesis_hooks', PYTHONPATH: hooks },
    })
    return ''
  } catch (error) {
    return (error as { stdout?: string }).stdout || String(error)
  }
}

test('a key: no valid request is refused, no status is undocumented, and nothing fails', async () => {
  const tenant = await api.makeTenant()
  const { token } = await tenant.makeKey()
  expect(await findFaults({ Authorization: `Bearer ${token}` }, [])).toBe('')
}, 240_000)

test('a session: no valid request is refused, no status is undocumented, and nothing fails', async () => {
  const tenant = await api.makeTenant()
  const { cookie, csrfToken } = await makeSignedIn(api, tenant)
  expect(
    await findFaults({ Cookie: cookie, 'X-CSRF-Token': csrfToken }, [
      '--include-path-regex',
      '^/(auth|api-keys)',
      // It replaces the session's cookie.
      '--exclude-operation-id',
      'auth.password',
    ]),
  ).toBe('')
}, 240_000)
